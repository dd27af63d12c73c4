// SPDX-License-Identifier: MIT
#ifndef BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_PAGE_STYLE_HPP
#define BANKMODEL_EXAMPLES_BANKMODEL_COMPILED_PAGE_PAGE_STYLE_HPP

namespace compiled {

// The style sheet of the page in HTML. Colours are those of the pictures. Where a line costs more
// than its ideal there is a mark too, not only a colour.
inline constexpr const char* page_style = R"css(
:root{color-scheme:light dark;--text:#1f2328;--soft:#59636e;--page:#fff;--box:#f6f8fa;
--edge:#d1d9e0;--over:#ffebe9;--bad:#b31d28;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--text:#f0f6fc;--soft:#9198a1;--page:#0d1117;
--box:#151b23;--edge:#3d444d;--over:#3c1618;--bad:#ff8f89;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1rem}
h1,h2,h3{line-height:1.25;overflow-wrap:anywhere}h1{margin:.5rem 0}
h2{margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--edge)}h3{margin:1.5rem 0 .5rem}
p,li,dd{overflow-wrap:anywhere}
code,.listing,td,.facts dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,
"Liberation Mono","DejaVu Sans Mono",monospace;font-size:.875rem}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
.facts dt,.quiet,th{color:var(--soft)}.facts dd{margin:0}
.bad{color:var(--bad);font-weight:700}
.listing{border:1px solid var(--edge);border-radius:6px;margin:.5rem 0 1rem;overflow:hidden}
.file{background:var(--box);padding:.4rem .6rem;border-bottom:1px solid var(--edge);
overflow-wrap:anywhere}
.line,summary{display:grid;grid-template-columns:4ch var(--shared) var(--global) var(--number) 1fr;
column-gap:2ch;padding:0 .6rem;font-variant-numeric:tabular-nums}
.line>*,summary>*{white-space:pre-wrap;overflow-wrap:anywhere}
.line>.sign,summary>.sign{white-space:pre}
.cost,.number{text-align:right}.number{color:var(--soft)}
.titles{color:var(--soft);border-bottom:1px solid var(--edge);padding-top:.2rem;padding-bottom:.2rem}
summary{cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}
summary:hover,summary:focus-visible{background:var(--box)}
.over summary{background:var(--over)}.over .cost.more,.over .sign{color:var(--bad);font-weight:700}
summary .sign::before{content:"\25b8\a0";color:var(--soft);font-weight:400}
details[open] summary .sign::before{content:"\25be\a0"}
.behind{padding:.6rem 1rem 1rem;border-block:1px solid var(--edge);background:var(--page);
font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:1rem}
.behind h4{margin:.8rem 0 .2rem;font-size:1rem;overflow-wrap:anywhere}.behind p{margin:.2rem 0}
figure{margin:.6rem 0;overflow-x:auto}figure svg{max-width:100%;height:auto;display:block}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:0 1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;min-width:60%}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--edge);white-space:nowrap}
th{font-weight:400}th:nth-child(2),td:nth-child(2){text-align:left}
tr:last-child td{border-bottom:0;font-weight:700}
.fields{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem}.fields input{width:14ch;font:inherit}
td output{display:block;color:var(--soft)}
@media (max-width:44rem){main{padding:.5rem}code,.listing,td,.facts dd{font-size:.75rem}
.line,summary{padding:0 .3rem;column-gap:.6ch;grid-template-columns:4ch
minmax(0,var(--shared)) minmax(0,var(--global)) var(--number) minmax(14ch,1fr)}
th,td{padding:.2rem .4rem}.behind{padding:.5rem}}
)css";

}  // namespace compiled

#endif
