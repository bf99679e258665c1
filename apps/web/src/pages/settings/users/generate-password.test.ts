import { expect, test } from "vitest";
import { keepsPasswordRules } from "../../../lib/password-rules.ts";
import { generatePassword } from "./generate-password.ts";

test("generated passwords meet the strong rules and never repeat", () => {
	const passwords = Array.from({ length: 200 }, generatePassword);
	expect(passwords.filter((password) => !keepsPasswordRules(password, true))).toEqual([]);
	expect(new Set(passwords).size).toBe(200);
});
