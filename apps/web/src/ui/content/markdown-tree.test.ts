import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MarkdownTree } from "./markdown-tree.tsx";

const html = (text: string) => renderToStaticMarkup(createElement(MarkdownTree, { text }));

test("draws paragraphs, emphasis, code and lists", () => {
	expect(html("Hi **you**, `x < 1`\n\n- a\n- b")).toBe(
		"<p>Hi <strong>you</strong>, <code>x &lt; 1</code></p><ul><li>a</li><li>b</li></ul>",
	);
	expect(html("```js\nlet a;\n```")).toBe('<pre data-language="js"><code>let a;</code></pre>');
});

test("draws tables and task lists", () => {
	expect(html("| a | b |\n|---|---|\n| 1 | 2 |")).toBe(
		"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
	);
	expect(html("- [x] done")).toBe("<ul><li>☑ done</li></ul>");
});

test("shows raw HTML as text", () => {
	expect(html('<img src=x onerror="alert(1)">')).toBe("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
	expect(html("a <script>alert(1)</script>")).toBe("<p>a &lt;script&gt;alert(1)&lt;/script&gt;</p>");
});

test("loads no image and follows no scheme but http, https and mailto", () => {
	expect(html("![logo](https://example.com/a.png)")).toBe("<p><code>![logo](https://example.com/a.png)</code></p>");
	expect(html("[x](javascript:alert(1)) [y](data:text/html,1) [z](/relative)")).toBe("<p>x y z</p>");
	expect(html("[x][r]\n\n[r]: javascript:alert(1)")).toBe("<p>x</p>");
	expect(html("https://example.com")).toBe(
		'<p><a href="https://example.com" title="https://example.com" target="_blank" rel="noreferrer noopener">https://example.com</a></p>',
	);
});
