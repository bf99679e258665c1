import { expect, test } from "vitest";
import { foreignName } from "./foreign-name.ts";

test.each([
	["MCP Inspector", "MCP Inspector"],
	["Zoë's 工具 🔧", "Zoë's 工具 🔧"],
	["Cla\u200Bude\u2060", "Claude"],
	["safe\u202Egpj.exe\u2066", "safegpj.exe"],
	["Admin\u0007\u001B[31m\n\n of\tSpanward", "Admin[31m of Spanward"],
	["a\u2028b\u2029c", "a b c"],
	["\u{E0041}x\u{FE0F}\u3164y\u115F", "xy"],
	["e\u0301\u0302\u0303\u0304\u0305", "e\u0301\u0302"],
	["<b>x</b>", "<b>x</b>"],
])("R74 %j is shown as %j", (name, shown) => {
	expect(foreignName(name)).toBe(shown);
});

test("R74 a long name is cut, and of one that shows nothing there is none", () => {
	const cut = foreignName("é🔧".repeat(5_000));
	expect([...(cut ?? "")]).toHaveLength(100);
	expect(cut?.endsWith("…")).toBe(true);
	expect(foreignName("\u200B\u202E \u00AD")).toBeUndefined();
	expect(foreignName("")).toBeUndefined();
});
