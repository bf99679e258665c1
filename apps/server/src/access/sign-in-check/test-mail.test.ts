import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/sign_in/mail/try";

/** What the mail server received, and what it answers to the next sender. */
const received: { from: string; to: string; text: string }[] = [];
let refusal: string | undefined;
let smtp: SMTPServer;
let server: TestApp;
let admin: TestPrincipal;
beforeAll(async () => {
	smtp = new SMTPServer({
		authOptional: true,
		disabledCommands: ["STARTTLS"],
		disableReverseLookup: true,
		onMailFrom: (_address, _session, done) =>
			done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 550 })),
		onData: (stream, session, done) => {
			let text = "";
			stream.on("data", (chunk) => {
				text += chunk;
			});
			stream.on("end", () => {
				const { mailFrom, rcptTo } = session.envelope;
				received.push({
					from: mailFrom ? mailFrom.address : "",
					to: rcptTo.map(({ address }) => address).join(),
					text,
				});
				done();
			});
		},
	});
	const listening = smtp.listen(0, "127.0.0.1");
	await once(listening, "listening");
	const address = listening.address();
	server = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_ROOT_URL: "https://traces.example.invalid",
		SERVICE_SMTP_HOSTNAME: "127.0.0.1",
		SERVICE_SMTP_PORT: String(typeof address === "object" ? address?.port : ""),
		SERVICE_SMTP_TLS_MODE: "none",
	});
	admin = await server.signedIn("ADMIN");
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await new Promise<void>((resolve) => smtp.close(() => resolve()));
});

const send = (body: unknown, headers: Record<string, string> = admin.headers) =>
	server.call("POST", PATH, body, headers);

describe("a test mail", () => {
	test("goes out from the host of SERVICE_ROOT_URL, and is in the audit log", async () => {
		const { status, json } = await send({ to: " Ops@Example.COM " });
		expect(status).toBe(200);
		expect(json.data).toMatchObject({ accepted: true, steps: [{ name: "mail", outcome: "ok" }] });
		expect(received.at(-1)).toMatchObject({ from: "noreply@traces.example.invalid", to: "ops@example.com" });
		expect(received.at(-1)?.text).toContain("Subject: A test mail of Spanward");
		const { json: events } = await server.get("/v1/audit_events?action=mail.try", admin.headers);
		expect(events.data[0]).toMatchObject({ outcome: "success", details: { to: "ops@example.com" } });
	});

	test("that is refused says what the mail server answered, and what to change", async () => {
		refusal = "sender domain must resolve";
		const { status, json } = await send({ to: "ops@example.com" });
		refusal = undefined;
		expect([status, json.data.accepted]).toEqual([200, false]);
		expect(json.data.steps[0]).toMatchObject({ outcome: "failed", settings: ["SERVICE_SMTP_MAIL_FROM"] });
		expect(JSON.stringify(json.data.steps)).toContain("sender domain must resolve");
	});

	test.each(["", "nobody", "a@example.com, thief@example.com", "a@example.com\r\nBcc: thief@example.com", 7, null])(
		"to %j is 422",
		async (to) => expect((await send({ to })).status).toBe(422),
	);

	test("can be requested by an admin who is logged in, not by a key or a member", async () => {
		const key = await server.signedIn("ADMIN", "key");
		const member = await server.signedIn("MEMBER");
		for (const { headers } of [key, member]) expect((await send({ to: "ops@example.com" }, headers)).status).toBe(403);
	});
});

test("Settings show where mails go out, from whom, and a sender whose domain does not exist", async () => {
	const { json } = await server.get("/v1/sign_in", admin.headers);
	expect(json.data.mail).toMatchObject({
		server: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
		sender: "noreply@traces.example.invalid",
		steps: [{ name: "mail", outcome: expect.stringMatching(/^(warning|skipped)$/) }],
	});
});

test("without a mail server a test mail is 503, and Settings say so", async () => {
	await using silent = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { headers } = await silent.signedIn("ADMIN");
	expect((await silent.call("POST", PATH, { to: "ops@example.com" }, headers)).status).toBe(503);
	expect((await silent.get("/v1/sign_in", headers)).json.data.mail).toMatchObject({ server: null });
});
