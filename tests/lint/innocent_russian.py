"""Tools as careful authors write them in Russian: lint may call nothing of them an error.

They say what is easily taken for a fault: what is not done, defaults that depend on something,
limits of other things, examples in several forms, values in several spellings.
"""

from typing import Any

from tests.support.written_tools import flag, listed, number, text, tool, whole

__all__ = ["INNOCENT_RUSSIAN"]

INNOCENT_RUSSIAN: list[dict[str, Any]] = [
    tool(
        "list_orders",
        "Показывает заказы, сначала новые. Ничего не изменяет.",
        hints="readOnly",
        status=text(
            "Состояние: 'new', 'paid' или 'sent' (по умолчанию 'new').",
            enum=["new", "paid", "sent"],
            default="new",
        ),
        limit=whole(
            "Сколько вернуть, от 1 до 100, по умолчанию 20.", minimum=1, maximum=100, default=20
        ),
    ),
    tool(
        "find_contacts",
        "Находит контакты по части имени. Удалённые контакты не показываются.",
        hints="readOnly",
        needs="name",
        name=text("Часть имени, не менее 2 символов, например «Ан».", minLength=2),
    ),
    tool(
        "create_reminder",
        "Создаёт напоминание. Прежние напоминания не меняются.",
        needs="text at",
        text=text("О чём напомнить, до 200 символов.", maxLength=200),
        at=text("Когда, например 2024-03-01T09:00:00Z.", format="date-time"),
        repeat=text("daily, weekly или none.", enum=["daily", "weekly", "none"], default="none"),
    ),
    tool(
        "delete_photo",
        "Удаляет фотографию в корзину, откуда её можно вернуть 30 дней.",
        hints="destructive idempotent",
        needs="photo_id",
        photo_id=text("Идентификатор, например «p-17»."),
    ),
    tool(
        "read_meter",
        "Читает показания счётчика; сами показания не сбрасываются.",
        hints="readOnly",
        meter=text("Какой счётчик: water — вода, gas — газ.", enum=["water", "gas"]),
        timeout_seconds=whole("Сколько ждать, в секундах, не более 60.", minimum=1, maximum=60),
    ),
    tool(
        "send_letter",
        "Отправляет письмо. Черновик после отправки удаляется.",
        hints="openWorld",
        needs="to subject",
        to=listed("Адреса, например anna@example.com, не более 50.", maxItems=50),
        subject=text("Тема, до 120 символов.", maxLength=120),
        body=text("Текст письма, простой или в Markdown."),
    ),
    tool(
        "count_days",
        "Считает дни между двумя датами, не включая последнюю.",
        hints="readOnly idempotent",
        needs="first last",
        first=text("Первый день, ГГГГ-ММ-ДД, например 2024-01-31.", format="date"),
        last=text("Последний день, например 2024-12-31.", format="date"),
    ),
    tool(
        "set_volume",
        "Устанавливает громкость. Ноль выключает звук.",
        hints="destructive idempotent",
        needs="level",
        level=whole("Громкость в процентах, от 0 до 100.", minimum=0, maximum=100),
        fade_ms=whole("За сколько миллисекунд, по умолчанию 500.", minimum=0, default=500),
    ),
    tool(
        "get_removed_files",
        "Возвращает список файлов, которые были удалены за последние 7 дней.",
        hints="readOnly",
        folder=text("Папка, например «/home/anna»; если не указана, то все папки."),
    ),
    tool(
        "translate_word",
        "Переводит слово и приводит примеры. Словарь при этом не пополняется.",
        hints="readOnly openWorld",
        needs="word",
        word=text("Одно слово, до 40 символов.", maxLength=40),
        language=text("Код языка, например 'en' или 'de'.", default="en"),
    ),
    tool(
        "book_ticket",
        "Бронирует билет на 20 минут. Оплата не производится.",
        hints="openWorld",
        needs="train seats",
        train=text("Номер поезда, например «016А»."),
        seats=whole("Сколько мест, от 1 до 4.", minimum=1, maximum=4),
        car=text(
            "Вагон: 'sv' — СВ, 'coupe' — купе, 'open' — плацкарт.", enum=["sv", "coupe", "open"]
        ),
    ),
    tool(
        "check_spelling",
        "Проверяет правописание и предлагает замены; сам текст не исправляет.",
        hints="readOnly idempotent",
        needs="text",
        text=text("Текст, не длиннее 10 000 символов.", maxLength=10_000),
        strict=flag("Считать ли «е» вместо «ё» ошибкой; по умолчанию нет.", default=False),
    ),
    tool(
        "update_profile",
        "Обновляет профиль. Что не передано, остаётся прежним.",
        hints="destructive idempotent",
        phone=text("Телефон в виде +7 и десяти цифр, например +79161234567."),
        birthday=text("День рождения, например 1990-05-17.", format="date"),
    ),
    tool(
        "show_route",
        "Показывает маршрут на карте.",
        hints="readOnly openWorld",
        needs="start finish",
        start=text("Откуда: адрес или координаты, например «55.75, 37.62»."),
        finish=text("Куда: адрес или координаты."),
        mode=text("car (по умолчанию), walk или bus.", enum=["car", "walk", "bus"], default="car"),
        max_km=number("Не длиннее, в километрах.", minimum=0),
    ),
    tool(
        "restore_note",
        "Восстанавливает заметку из корзины.",
        hints="idempotent",
        needs="note_id",
        note_id=text("Идентификатор из list_deleted_notes."),
    ),
    tool(
        "run_report",
        "Выполняет отчёт. Только чтение, если не задан параметр `save`.",
        needs="name",
        name=text("Имя отчёта, например «Продажи»."),
        save=flag("Сохранить ли отчёт в архив.", default=False),
    ),
    tool(
        "find_rooms",
        "Ищет свободные комнаты. Комнаты не бронирует и не отменяет.",
        hints="readOnly",
        people=whole("На сколько человек, не менее 1 и не более 40.", minimum=1, maximum=40),
        hours=number("На сколько часов; полчаса — 0.5.", minimum=0.5, maximum=12),
    ),
    tool(
        "convert_units",
        "Переводит величину из одних единиц в другие.",
        hints="readOnly idempotent",
        needs="value source target",
        value=number("Величина, например 12,5 или -40."),
        source=text("Из чего: 'm', 'km' или 'mi'.", enum=["m", "km", "mi"]),
        target=text("Во что: 'm', 'km' или 'mi'.", enum=["m", "km", "mi"]),
    ),
    tool(
        "mark_read",
        "Отмечает письма прочитанными.",
        hints="destructive idempotent",
        needs="ids",
        ids=listed("Письма, от 1 до 100 штук, например ['m-1', 'm-2'].", minItems=1, maxItems=100),
    ),
    tool(
        "list_tariffs",
        "Перечисляет тарифы. Цены — в рублях с НДС.",
        hints="readOnly",
        max_price=whole("Не дороже, в рублях за месяц.", minimum=0),
        kind=text(
            "Для кого: «home» или «office»; без значения — для всех.", enum=["home", "office"]
        ),
    ),
    tool(
        "clear_cache",
        "Очищает кэш. Сохранённые файлы пользователя не удаляются.",
        hints="destructive idempotent",
        older_than_hours=whole("Только то, что старше, в часах; 0 — всё.", minimum=0, default=0),
    ),
    tool(
        "get_schedule",
        "Возвращает расписание группы на неделю.",
        hints="readOnly",
        needs="group",
        group=text("Группа, например «ИВТ-21».", pattern=r"^[А-Я]+-\d{2}$"),
        week=whole("Номер недели, 1–53; если не указан, текущая.", minimum=1, maximum=53),
    ),
    tool(
        "make_invoice",
        "Формирует счёт и возвращает ссылку вида https://pay.example.com/i/123.",
        hints="openWorld",
        needs="amount",
        amount=number("Сумма в рублях, до 1 000 000 (например, 1500.50).", maximum=1_000_000),
        due=text("Срок оплаты; по умолчанию через 10 дней, например 2024-02-10.", format="date"),
    ),
    tool(
        "compare_texts",
        "Сравнивает два текста построчно и показывает, что добавлено, удалено и изменено.",
        hints="readOnly idempotent",
        needs="before after",
        before=text("Прежний текст."),
        after=text("Новый текст."),
        context=whole("Сколько строк вокруг, 3 по умолчанию.", minimum=0, default=3),
    ),
]
