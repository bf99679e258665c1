import type { ErrorGroup } from "@spanward/client";
import { expect, test } from "vitest";
import { failuresOf, ofListedGroups, withFailures } from "./listed-failures.ts";

const rows = ["aa", "bb"].map((fingerprint) => ({ fingerprint }) as ErrorGroup);
const NO_OTHERS = { open: 2, resolved: 0, ignored: 0 };

test("what the inbox filters failures by is a filter of spans, and is replaced by one", () => {
	expect(failuresOf({ q: "disk", assignee: "me" })).toEqual({});
	expect(failuresOf({ filter: "disk full" })).toEqual({ q: "disk full" });
	const search = {
		...{ filter: "model == 'a' or model == 'b'", user: ["ann"], release: ["1", "2"], q: "disk" },
		error_kind: "refusal" as const,
	};
	expect(failuresOf(search).filter).toBe(
		"(model == 'a' or model == 'b') and error_kind == 'refusal' and release in ['1', '2'] and user_id == 'ann'",
	);
	expect(withFailures(search, { filter: "model == 'a'" })).toEqual({ filter: "model == 'a'", q: "disk" });
	expect(withFailures(search, { q: "full" })).toEqual({ q: "disk full" });
});

test("W28 where states, words or assignees leave out groups, those that are listed are named", () => {
	expect(ofListedGroups({}, rows, NO_OTHERS)).toBeUndefined();
	const named = "error_group in ['aa', 'bb']";
	expect(ofListedGroups({}, rows, { open: 2, resolved: 1, ignored: 0 })).toBe(named);
	expect(ofListedGroups({ state: "resolved" }, rows, { open: 1, resolved: 2, ignored: 0 })).toBe(named);
	expect(ofListedGroups({ q: "disk" }, rows, NO_OTHERS)).toBe(named);
	expect(ofListedGroups({ assignee: "me" }, rows.slice(0, 1), NO_OTHERS)).toBe("error_group == 'aa'");
	expect(ofListedGroups({ q: "disk" }, [], NO_OTHERS)).toBeUndefined();
});
