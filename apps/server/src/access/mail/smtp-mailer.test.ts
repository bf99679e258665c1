import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { SMTPServer } from "smtp-server";
import { expect, test } from "vitest";
import { readConfig } from "#base/config.ts";
import { SmtpMailer, type SmtpMailerOptions } from "./smtp-mailer.ts";

test("gives up after a first try and one for each pause", async () => {
	await using bench = await openBench({ pausesMs: [5, 10] }, () => 451);
	bench.mailer.send(mailTo("later@example.com"));
	await bench.until(() => bench.log.includes('a mail could not be sent"'));
	expect(bench.tried).toEqual(["later@example.com", "later@example.com", "later@example.com"]);
});

test("does not repeat what was refused for good", async () => {
	await using bench = await openBench({ pausesMs: [5, 10] }, () => 550);
	bench.mailer.send(mailTo("nobody@example.com"));
	await bench.until(() => bench.log.includes('a mail could not be sent"'));
	expect(bench.tried).toEqual(["nobody@example.com"]);
});

test("sends to others while mails wait for their next try", async () => {
	await using bench = await openBench({ pausesMs: [3_600_000] }, (to) => (to.startsWith("later") ? 451 : undefined));
	for (let index = 0; index < 5; index++) bench.mailer.send(mailTo(`later-${index}@example.com`));
	bench.mailer.send(mailTo("now@example.com"));
	await bench.until(() => bench.sent.includes("now@example.com"));
});

test("keeps no more mails than its queue holds, and says that others were dropped", async () => {
	await using bench = await openBench({ pausesMs: [3_600_000] }, () => 451);
	for (let index = 0; index < 400; index++) bench.mailer.send(mailTo(`user-${index}@example.com`));
	expect(bench.log.match(/a mail was dropped: 300 others wait/g)?.length).toBeGreaterThanOrEqual(98);
});

test("tries at once, when it ends, what waited for its next try; takes none afterwards", async () => {
	const refused = new Set<string>();
	await using bench = await openBench({ pausesMs: [3_600_000], graceMs: 60_000 }, (to) => {
		if (refused.has(to)) return undefined;
		refused.add(to);
		return 451;
	});
	bench.mailer.send(mailTo("waiting@example.com"));
	await bench.until(() => bench.log.includes("it will be tried again"));
	await bench.mailer[Symbol.asyncDispose]();
	expect(bench.sent).toEqual(["waiting@example.com"]);
	bench.mailer.send(mailTo("late@example.com"));
	expect(bench.log).toContain("a mail was dropped: the service stops");
});

test.each([
	"a@example.com, thief@example.com",
	"a@example.com\r\nBcc: thief@example.com",
	"<thief@example.com>",
	'"a"@b@c',
])("takes %j for no address", async (to) => {
	await using bench = await openBench({}, () => undefined);
	bench.mailer.send(mailTo(to));
	bench.mailer.send({ ...mailTo("fine@example.com"), cc: to });
	bench.mailer.send(mailTo("fine@example.com"));
	await bench.until(() => bench.sent.length > 0);
	expect(bench.tried).toEqual(["fine@example.com"]);
});

function mailTo(to: string) {
	return { to, subject: "About something", text: "text", html: "<p>text</p>" };
}

/** A mailer, and a server that answers each recipient with the status that `refuse` returns, or accepts the mail. */
async function openBench(options: SmtpMailerOptions, refuse: (to: string) => number | undefined) {
	const bench = { tried: [] as string[], sent: [] as string[], log: "" };
	const server = new SMTPServer({
		disabledCommands: ["STARTTLS", "AUTH"],
		disableReverseLookup: true,
		closeTimeout: 100,
		onRcptTo: ({ address }, _session, done) => {
			bench.tried.push(address);
			const status = refuse(address);
			done(status === undefined ? null : Object.assign(new Error("no"), { responseCode: status }));
		},
		onData: (stream, { envelope }, done) => {
			stream.resume().on("end", () => {
				bench.sent.push(...envelope.rcptTo.map(({ address }) => address));
				done();
			});
		},
	});
	server.on("error", () => undefined);
	const listener = server.listen(0, "127.0.0.1");
	await once(listener, "listening");
	const address = listener.address();
	if (address === null || typeof address === "string") throw new Error("expected a TCP address");
	const config = readConfig({
		SERVICE_SMTP_HOSTNAME: "127.0.0.1",
		SERVICE_SMTP_PORT: String(address.port),
		SERVICE_SMTP_TLS_MODE: "none",
	});
	const write = (line: string) => {
		bench.log += line;
	};
	const log = pino({ level: "debug" }, { write });
	const mailer = new SmtpMailer(config, log, { graceMs: 500, ...options });
	return Object.assign(bench, {
		mailer,
		async until(condition: () => boolean) {
			while (!condition()) await sleep(5);
		},
		async [Symbol.asyncDispose]() {
			await mailer[Symbol.asyncDispose]();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	});
}
