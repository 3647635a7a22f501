"""The style sheet of an evaluation's page, light and dark."""

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --text: #1c2530; --soft: #5b6876; --line: #d9dfe6;
  --back: #f6f8fa; --card: #ffffff; --right: #1a7f4b; --wrong: #b4321f; --accent: #2457c5; }
@media (prefers-color-scheme: dark) { :root { --text: #e6ebf1; --soft: #9aa7b5; --line: #333d48;
  --back: #12171d; --card: #1b222a; --right: #5cc48d; --wrong: #f0836f; --accent: #86a9ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { margin: 0; font-size: 26px; }
h2 { margin: 0 0 8px; font-size: 18px; }
header p, section > p { margin: 4px 0 16px; color: var(--soft); }
section { margin-top: 28px; overflow-x: auto; padding: 20px; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
.tiles { display: flex; flex-wrap: wrap; gap: 16px; padding: 0; background: none; border: 0; }
.tile { flex: 1 1 200px; padding: 16px 20px; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; }
.tile h2 { font-size: 14px; color: var(--soft); }
.tile p { margin: 4px 0; }
.tile .number { margin: 0; font-size: 34px; font-weight: 650; line-height: 1.1; }
.bar { height: 6px; margin: 8px 0; background: var(--line); border-radius: 3px; }
.bar i { display: block; height: 6px; background: var(--accent); border-radius: 3px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 8px 10px; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-size: 13px; font-weight: 600; }
code { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
small { color: var(--soft); }
.matrix { width: auto; }
.matrix { --most: 26ch; border-collapse: separate; border-spacing: 0; }
.matrix th, .matrix td { min-width: 28px; padding: 5px 6px; border: solid var(--line);
  border-width: 0 1px 1px 0; text-align: center; vertical-align: middle; }
.matrix td { white-space: nowrap; overflow-wrap: normal; }
.matrix tbody tr:first-child > * { border-top-width: 1px; }
.matrix th span { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
  font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.matrix tbody th { position: sticky; left: 0; border-left-width: 1px; background: var(--card); }
.matrix tbody th span { max-width: var(--most); text-align: right; }
.matrix thead > tr > * { border: 0; vertical-align: bottom; }
.matrix thead span { max-height: var(--most); margin: 0 auto; writing-mode: vertical-rl;
  transform: rotate(180deg); }
.matrix.many { --most: 20ch; }
.matrix.many th, .matrix.many td { min-width: 19px; padding: 1px 2px; font-size: 12px; }
.matrix.many th span { font-size: 11px; }
.matrix td.right { background: color-mix(in srgb, var(--right) 22%, transparent); }
.matrix td.right.s3, .matrix td.right.s4 { background: color-mix(in srgb, var(--right) 45%,
  transparent); }
.matrix td.wrong { background: color-mix(in srgb, var(--wrong) 20%, transparent); }
.matrix td.wrong.s3, .matrix td.wrong.s4 { background: color-mix(in srgb, var(--wrong) 45%,
  transparent); }
ol { margin: 0; padding-left: 18px; }
li.right code { color: var(--right); font-weight: 650; }
li.wrong code, .none { color: var(--wrong); }
summary { cursor: pointer; }
summary h2 { display: inline; }
.said { margin-top: 12px; table-layout: fixed; }
td { overflow-wrap: anywhere; }
.said th:nth-child(1) { width: 36%; }
.said th:nth-child(2) { width: 16%; }
.said th:nth-child(3) { width: 22%; }
@media (max-width: 720px) {
  main { padding: 20px 12px 40px; }
  section { padding: 16px 14px; }
  .matrix { --most: 14ch; }
  .stacked, .stacked tbody, .stacked tr, .stacked td { display: block; }
  .stacked thead { display: none; }
  .stacked tr { padding: 10px 0; border-bottom: 1px solid var(--line); }
  .stacked td { padding: 2px 0; border: 0; }
  .stacked td:empty { display: none; }
  .stacked td[data-of]::before { content: attr(data-of) ": "; color: var(--soft); font-size: 13px; }
}
"""
