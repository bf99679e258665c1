import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestCommands, type TestCommands } from "../test-command.ts";

const run = promisify(execFile);
const HOSTILE = "shop $(touch /tmp/never)";
let commands: TestCommands;
beforeAll(async () => {
	commands = await openTestCommands();
	for (const name of ["shop", "shipping", HOSTILE, "sh\u001b[31m"])
		await commands.app.call("POST", "/v1/projects", { name });
	await commands.call(["datasets", "upload", "regressions", "-"], { input: '{"input": {"q": "1"}}\n' });
});
afterAll(() => commands[Symbol.asyncDispose]());

const complete = async (...words: string[]) =>
	(await commands.call(["__complete", "--", ...words])).stdout.split("\n").filter(Boolean);

test("commands, verbs, options, values and names of the server are completed", async () => {
	expect(await complete("pro")).toEqual(["profiles", "projects", "project", "prompts"]);
	expect(await complete("back")).toEqual(["backup"]);
	expect(await complete("log")).toEqual(["login", "logout"]);
	expect(await complete("login", "--scope", "an")).toEqual(["annotate"]);
	expect(await complete("login", "--m")).toEqual(["--mcp"]);
	await commands.call(["login", commands.url, "--name", "here"]);
	expect(await complete("profiles", "use", "")).toEqual(["here"]);
	expect(await complete("token", "--profile", "h")).toEqual(["here"]);
	expect(await complete("traces", "")).toEqual(["list", "tail", "export"]);
	expect(await complete("traces", "export", "--fo")).toEqual(["--format"]);
	expect(await complete("traces", "export", "--format", "")).toEqual(["ndjson", "otlp", "arrow"]);
	expect((await complete("project", "show", "sh")).sort()).toEqual(["shipping", "shop", HOSTILE]);
	expect(await complete("--json", "traces", "list", "--project", "ship")).toEqual(["shipping"]);
	expect(await complete("datasets", "show", "reg")).toEqual(["regressions"]);
	expect(await complete("datasets", "upload", "regressions", "")).toEqual([]);
	expect(await complete("project", "show", "--url", "http://127.0.0.1:9", "sh")).toEqual([]);
});

test("AG25 bash completes, and what a name says is not run", async () => {
	const { stdout: script } = await commands.call(["completion", "bash"]);
	const ask = `COMP_WORDS=(spanward project show sh); COMP_CWORD=3; _spanward; printf '%s\\n' "\${COMPREPLY[@]}"`;
	const { stdout } = await run("bash", ["--norc", "-c", `${script}\n${ask}`], {
		env: { PATH: process.env["PATH"], SERVICE_URL: commands.url, HOME: commands.folder },
	});
	expect(stdout.trim().split("\n").sort()).toEqual(["shipping", "shop", "shop\\ \\$\\(touch\\ /tmp/never\\)"]);
});

test.skipIf(!existsSync("/usr/bin/zsh"))("AG25 zsh completes", async () => {
	const { stdout: script } = await commands.call(["completion", "zsh"]);
	// compadd is only there while a line is completed.
	const ask =
		"compdef() { }; compadd() { shift; print -l -- $@ }; words=(spanward project show sh); CURRENT=4; _spanward";
	const { stdout } = await run("zsh", ["-f", "-c", `compdef() { }\n${script}\n${ask}`], {
		env: { PATH: process.env["PATH"], SERVICE_URL: commands.url, HOME: commands.folder },
	});
	expect(stdout.trim().split("\n").sort()).toEqual(["shipping", "shop", HOSTILE]);
});
