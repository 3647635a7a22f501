"""What everyday words of functions are called in English and in Russian.

An app is often described in one language and spoken to in another. A model knows both; a ranking
by words would know nothing of it. This list joins the words of the two languages that functions
of any app are about: what can be done, and to what. It holds translations alone, no synonyms
within a language, so that a ranking still tells whether the author has chosen the users' words.
"""

from functools import cache

from appfunctions_mcp.lint.stems import is_russian, stem

__all__ = ["MEANINGS", "translations"]

MEANINGS = """
create, make: создать сделать создание
new: новый новая новое новую
write: написать напиши писать записать запиши записано
add: добавить добавь добавление
insert: вставить вставь
start, begin: начать начни
set, put: поставить поставь установить задать задай положить положи
read: прочитать прочти читать
open: открыть открой
close: закрыть закрой
get: получить получи
show, display: показать покажи показывать отобразить
view, look: посмотреть посмотри просмотреть глянуть
find: найти найди нашел
search, look: искать ищи поискать поищи поиск
list: список перечислить перечисли перечень
count, many: сколько количество число посчитать
choose, select: выбрать выбери
filter: отфильтровать отфильтруй фильтр
sort: сортировать отсортировать отсортируй
next, following: следующий следующая следующие дальше
previous: предыдущий предыдущая
update: обновить обнови обновление
change, edit: изменить измени поменять поменяй изменение
edit, correct: исправить исправь править отредактировать отредактируй
replace: заменить замени замена
rename: переименовать переименуй
name, title: назвать назови название имя
title, heading: заголовок заголовка
move: перенести перенеси переместить перемести передвинуть
copy: скопировать скопируй копия копию копировать
delete: удалить удали удаление
remove: удалить удали убрать убери снять сними
erase, delete: стереть сотри
clear: очистить очисти
cancel: отменить отмени отмена
undo: вернуть верни
throw, discard: выбросить выброси выкинуть выкинь
restore: восстановить восстанови
archive: архив архивировать
backup: резервный резервная резервную бэкап
save, keep: сохранить сохрани
store: хранить храниться
export: экспорт экспортировать экспортируй выгрузить выгрузи выгрузка
import: импорт импортировать загрузить загрузи
download: скачать скачай загрузить
upload: загрузить загрузи выложить
send: отправить отправь послать пошли
reply, answer: ответить ответь ответ
forward: переслать перешли
share: поделиться поделись
call: позвонить позвони звонок
invite: пригласить пригласи
book, reserve: забронировать забронируй бронь
buy, purchase: купить купи покупка
order: заказать закажи заказ
pay: оплатить оплати заплатить платеж
transfer: перевести переведи перевод
translate: перевести переведи перевод
turn, switch: включить включи выключить выключи
enable: включить включи
disable: выключить выключи отключить отключи
play: играть включить проиграть
stop: остановить останови стоп
pause: пауза приостановить
remind: напомнить напомни
reminder: напоминание
plan, schedule: запланировать запланируй план расписание
mark, tag: пометить пометь отметить отметь
label, tag: метка метку меток тег ярлык
note: заметка заметку заметок записка запись записи
text: текст
body, content: содержимое содержание
content, text: текст
whole, full, complete: целиком полностью весь целый
all, every: все всех всеми каждый каждая каждой
word: слово слова слов
part: часть
owner: владелец владельца
person, people: человек людей
user: пользователь
name: фамилия
friend: друг друзья
contact: контакт
message: сообщение
chat: чат
mail, email: письмо почта
letter: письмо
file: файл
folder: папка папку папок
document: документ
page, web: страница страницу
link, address: ссылка ссылку
address: адрес
attachment: вложение
attach: прикрепить прикрепи приложить приложи
picture, image: картинка картинку изображение
photo: фото фотография
video: видео
music: музыка
song: песня песню
event: событие
meeting: встреча встречу совещание
calendar: календарь
day: день дня дней
date: дата дату
time: время времени
today: сегодня
tomorrow: завтра
week: неделя неделю
task: задача задачу задание
work: работа работу
alarm: будильник
timer: таймер
last, recent, latest: последний последняя последние недавно
old: старый старая старые
first: первый первая первые
important: важный важная важное
urgent: срочный срочная срочное срочно
empty: пустой пустая пустую
number: номер
price, cost: цена цену стоимость стоит
product: товар продукт
shop, store: магазин
account: счет аккаунт
money: деньги денег
weather: погода погоду
forecast: прогноз
place: место
city: город
route, way: маршрут
map: карта карту
distance: расстояние
room: комната комнату
light, lamp: свет лампа
door: дверь
temperature: температура температуру
password: пароль
setting: настройка настройку настройки
status, state: состояние статус
history: история историю
report: отчет
table: таблица таблицу
row: строка строку строк
code: код
project: проект
branch: ветка ветку
server: сервер
question: вопрос
summary: итог кратко
same: одинаковый
"""


@cache
def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in MEANINGS.strip().splitlines():
        english, _, russian = line.partition(": ")
        ours = [stem(word) for word in english.split(", ")]
        theirs = [stem(word) for word in russian.split()]
        for one, others in ((ours, theirs), (theirs, ours)):
            for word in one:
                found.setdefault(word, {}).update(dict.fromkeys(others))
    return {word: tuple(others) for word, others in found.items()}


def translations(word: str) -> tuple[str, ...]:
    """The stems of what a word is called in the other language; empty where the list has none.

    Args:
        word: A stem.

    Example:
        >>> translations(stem("удали"))
        ('delet', 'remov')
    """
    wanted = not is_russian(word)
    return tuple(other for other in _by_stem().get(word, ()) if is_russian(other) is wanted)
