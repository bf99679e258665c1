import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { forgetSecrets, readConfig } from "../config.ts";
import { createOutgoing } from "../outgoing/create-outgoing.ts";
import { problems, warnings } from "./test-settings.ts";

const HOSTS = "SERVICE_OUTGOING_ALLOWED_HOSTS";
const PROXY = "SERVICE_OUTGOING_PROXY_URL";
const CA = "SERVICE_OUTGOING_CA_CERT_FILE";

it("reads hosts, suffixes, addresses and networks in one spelling", () => {
	const listed =
		" Models.example., *.Internal.Example ,10.0.0.0/8, 192.0.2.7, fd00:0::/8,::ffff:10.0.0.1,bücher.example,";
	expect(readConfig({ [HOSTS]: listed }).SERVICE_OUTGOING_ALLOWED_HOSTS).toEqual([
		"models.example",
		"*.internal.example",
		"10.0.0.0/8",
		"192.0.2.7",
		"fd00::/8",
		"10.0.0.1",
		"xn--bcher-kva.example",
	]);
	expect(readConfig({ [HOSTS]: " " }).SERVICE_OUTGOING_ALLOWED_HOSTS).toBeNull();
});

it.each([
	"https://models.example",
	"models.example:8000",
	"models.example/v1",
	"*",
	"*.com",
	"*.10.0.0.1",
	"10.0.0.0/33",
	"10.0.0.1/8/8",
	"fe80::1%eth0",
	",",
	"169.254.169.254",
	"169.254.0.0/16, fe80::/10",
	"0.0.0.0",
])("E05: %s are no hosts to allow", (value) => {
	expect(problems({ [HOSTS]: value })).toEqual([expect.stringMatching(new RegExp(`^${HOSTS} (must be|names only)`))]);
});

it("E05: what is never called has no effect beside others, and is warned of", () => {
	expect(warnings({ [HOSTS]: "10.0.0.0/8,169.254.169.254" })).toEqual([
		`${HOSTS} lists 169.254.169.254 without effect: such addresses are never called`,
	]);
});

it.each([
	"proxy.example:3128",
	"socks5://proxy.example",
	"http://proxy.example:3128/path",
	"http://user:hunter2@proxy.example/?x",
	"http://user:hunter2%@proxy.example",
	"http://user:hunter2/x@proxy.example",
	"http://",
])("%s is no proxy, and no problem shows a password", (value) => {
	const found = problems({ [PROXY]: value });
	expect(found).toEqual([expect.stringMatching(new RegExp(`^${PROXY} `))]);
	expect(found[0]).not.toContain("hunter2");
});

it("a proxy comes from a file too, and no dump of the settings or the environment shows it", () => {
	const folder = mkdtempSync(join(tmpdir(), "spanward-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const file = join(folder, "proxy");
	writeFileSync(file, "http://user:hunter2@proxy.example:3128\n");
	const config = readConfig({ [`${PROXY}_FILE`]: file });
	expect(config.SERVICE_OUTGOING_PROXY_URL?.reveal()).toBe("http://user:hunter2@proxy.example:3128");
	expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain("hunter2");
	const environment: Record<string, string | undefined> = { [PROXY]: "http://user:hunter2@proxy.example:3128" };
	forgetSecrets(environment);
	expect(environment).toEqual({});
});

it("authorities are read at the start, and all bad values are named at once", () => {
	const found = problems({ [CA]: "/nowhere/ca.pem", [HOSTS]: "*", [PROXY]: "x", SERVICE_ENABLE_MODEL_CALLS: "maybe" });
	expect(found).toHaveLength(4);
	expect(found.join("\n")).toContain(`${CA}: the file "/nowhere/ca.pem" does not exist`);
});

it.each([
	[{}, true],
	[{ SERVICE_HOST: "127.0.0.1" }, true],
	[{ [HOSTS]: "10.0.0.0/8" }, false],
	[{ SERVICE_HOST: "0.0.0.0", SERVICE_ENABLE_AUTH: "false" }, false],
	[
		{
			SERVICE_HOST: "127.0.0.1",
			SERVICE_ENABLE_AUTH: "true",
			SERVICE_SECRET: "unit-test-secret-0123456789-abcdefghij",
		},
		false,
	],
])("E05: with %j this machine may be called: %s", async (environment, isAllowed) => {
	await using outgoing = createOutgoing(readConfig(environment));
	const called = outgoing.fetch({ timeoutMs: 60_000 })("http://127.0.0.1:1/");
	await expect(called).rejects.toMatchObject({ reason: isAllowed ? "unreachable" : "forbidden_address" });
});

it("E05: ports of the settings are the service's own", async () => {
	await using outgoing = createOutgoing(readConfig({ SERVICE_PORT: "7006", SERVICE_GRPC_PORT: "7317" }));
	for (const port of [7006, 7317]) {
		const called = outgoing.fetch({ timeoutMs: 60_000 })(`http://127.0.0.1:${port}/`);
		await expect(called).rejects.toMatchObject({ message: expect.stringContaining("this service itself") });
	}
});
