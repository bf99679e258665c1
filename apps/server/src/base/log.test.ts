import pg from "pg";
import { expect, test } from "vitest";
import { createLogTo } from "./log.ts";

function logged(log: (log: ReturnType<typeof createLogTo>) => void): { readonly line: string; readonly json: unknown } {
	let line = "";
	const write = (text: string) => {
		line += text;
	};
	log(createLogTo({ write }, "debug"));
	return { line, json: JSON.parse(line) };
}

test("hides texts under the names of secrets, at any depth, and leaves what only counts", () => {
	const { line, json } = logged((log) =>
		log.info({
			password: "hunter2",
			request: { headers: { authorization: "Bearer hunter2", Cookie: "a=hunter2", "x-api-key": "hunter2" } },
			list: [{ refresh_token: "hunter2", accessToken: "hunter2", tokens: 12, isSecret: true }],
			keys: ["kept"],
		}),
	);
	expect(line).not.toContain("hunter2");
	expect(json).toMatchObject({ password: "[hidden]", list: [{ tokens: 12, isSecret: true }], keys: ["kept"] });
});

test("hides accounts in addresses, also in messages and stacks", () => {
	const { line } = logged((log) =>
		log.error({ err: new Error("connect to postgresql://me:hunter2@db:5432/x failed") }, "at https://u:hunter2@h/?a=b"),
	);
	expect(line).not.toContain("hunter2");
	expect(line).toContain("postgresql://[hidden]@db:5432/x failed");
});

test("says of an error what it is, and nothing of the values that a database quotes", () => {
	const cause = Object.assign(new pg.DatabaseError("duplicate key value", 1, "error"), {
		code: "23505",
		constraint: "users_by_email",
		detail: "Failing row contains (1, hunter2).",
		where: "hunter2",
	});
	const error = Object.assign(new Error("it failed", { cause }), {
		code: "FAILED",
		config: { auth: "hunter2" },
		headers: { cookie: "hunter2" },
	});
	const ofError = logged((log) => log.error({ err: error }, "oops"));
	expect(ofError.line).not.toContain("hunter2");
	expect(ofError.json).toMatchObject({ err: { code: "FAILED", message: expect.stringContaining("duplicate key") } });
	expect(logged((log) => log.error(cause)).line).not.toContain("hunter2");
	expect(logged((log) => log.error({ err: cause })).json).toMatchObject({
		err: { code: "23505", constraint: "users_by_email", stack: expect.stringContaining("log.test.ts") },
	});
});

test("lets no text act on a terminal or look like another line", () => {
	const { line } = logged((log) => log.info("a\u009b31m\u202eb\r\n{}"));
	expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
