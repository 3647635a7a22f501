# ruff: noqa: RUF001 - Russian letters are meant
"""Verbs whose forms differ in more than their ending, which no cutting would bring together.

A line is one verb, the form that the others count as first. Only what people say to apps and apps
say of themselves is here, and no form that is as likely another word: `left` is a side too.
"""

__all__ = ["CHANGED_FORMS"]

CHANGED_FORMS = """
write wrote written
find found
get got gotten
take took taken
give gave given
make made
send sent
keep kept
say said
tell told
buy bought
sell sold
pay paid
choose chose chosen
hide hid hidden
speak spoke spoken
know knew known
think thought
begin began begun
run ran
go went gone
come came
see seen
hear heard
build built
break broke broken
lose lost
meet met
hold held
bring brought
throw threw thrown
draw drew drawn
grow grew grown
forget forgot forgotten
spend spent
drive drove driven
eat ate eaten
писать пиши пишу пишет пишут
записать запиши запишу запишет записано записана запись записью
написать напиши напишу напишет написано написана
переписать перепиши перепишу
читать чтение
прочитать прочти прочту прочтет
искать ищи ищу ищет ищут
поискать поищи поищу
найти найди найду найдет нашел нашла нашли найденный
показать покажи покажу покажет
сказать скажи скажу скажет
рассказать расскажи расскажу
заказать закажи закажу закажет
привязать привяжи
убрать убери уберу уберет
выбрать выбери выберу выберет
собрать собери соберу
снять сними сниму снимет
поднять подними подниму
взять возьми возьму возьмет
начать начни начну начнет
стереть сотри сотру сотрет
выбросить выбрось выброшу
поставить поставлю
добавить добавлю
отправить отправлю
исправить исправлю
купить куплю
помочь помоги помогу
"""
