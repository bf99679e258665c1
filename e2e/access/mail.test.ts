import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
	linkOf,
	MAIL_PASSWORD,
	MAIL_USER,
	MailSink,
	type MailSinkOptions,
	type ReceivedMail,
	SilentMailServer,
} from "../mail-sink.ts";
import type { TestServer } from "../server.ts";
import { asAdmin, createAccount, DEFAULT_ADMIN, startWithAuth } from "./accounts.ts";
import { linkMails, requestLink, requestToken, waitForLink } from "./password-mails.ts";

const ROOT_URL = "https://traces.example.com";

let sink: MailSink;
let server: TestServer;
/** Is named by a review queue, which a running server tells about a minute later. */
let reviewer: { readonly email: string; readonly queueId: string };

beforeAll(async () => {
	sink = await MailSink.start();
	server = await startWithAuth({
		...sink.env,
		SERVICE_ROOT_URL: `${ROOT_URL}/`,
		SERVICE_SUPPORT_EMAIL: "help@example.com",
	});
	reviewer = await nameReviewer();
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await sink[Symbol.asyncDispose]();
});

describe("a welcome mail", () => {
	test.each(["LOCAL", "OAUTH2", "LDAP"])(
		"greets a new %s user once, with a link to exactly the root",
		async (method) => {
			const { email, username } = await createUser({ auth_method: method });
			const mails = await sink.waitFor(email);
			await requestToken(server, sink, DEFAULT_ADMIN);
			expect(sink.mailsTo(email)).toHaveLength(1);
			const [mail] = mails;
			expect(mail?.headers.get("to")).toEqual([email]);
			expect(mail && linkOf(mail, "welcome-url")).toBe(ROOT_URL);
			expect(mail?.text).toContain(`Username: ${username}`);
			expect(mail?.text).toContain("help@example.com");
		},
	);

	test("is not sent when the creator asks for none", async () => {
		const { email } = await createUser({}, false);
		await laterMailsArrived();
		expect(sink.mailsTo(email)).toEqual([]);
	});

	test("greets the admins of the list, who choose their first password by a link", async () => {
		const email = `${randomBytes(6).toString("hex")}@example.com`;
		await using listed = await startWithAuth({ ...sink.env, SERVICE_ADMINS: `Listed Admin=${email}` });
		const [mail] = await sink.waitFor(email);
		expect(mail && linkOf(mail, "welcome-url")).toBe(listed.url);
		await requestToken(listed, sink, email);
	});
});

test("a notice tells of every other way a password changes, too", async () => {
	const { id, email } = await createAccount(server, "MEMBER");
	const own = (await sink.waitFor(email)).at(-1);
	expect(own?.text).toContain("knew the old one");
	await asAdmin(server).data("PATCH", `/v1/users/${id}`, { password: "given-Password9!" });
	const given = (await sink.waitFor(email, 2)).at(-1);
	expect(given?.text).toContain("by an administrator");
	expect(given?.raw).not.toContain("given-Password9!");
});

test("a mail says nothing of the machine it comes from", async () => {
	const { email } = await createAccount(server, "MEMBER");
	await requestLink(server, email);
	const mail = await waitForLink(sink, email);
	expect(mail.clientName).toBe("traces.example");
	expect(mail.headers.get("message-id")?.[0]).toMatch(/^<[0-9a-f-]+@traces\.example>$/);
	expect([...mail.headers.keys()].filter((name) => name.startsWith("x-") || name === "received")).toEqual([]);
	// As a name of its own: a short one can be part of the link by chance.
	expect(mail.raw).not.toMatch(new RegExp(`(?<![\\w-])${hostname().replaceAll(".", "\\.")}(?![\\w-])`));
	expect(mail.raw.toLowerCase()).not.toContain("nodemailer");
	expect([mail.from, mail.headers.get("from")]).toEqual([
		"noreply@traces.example",
		["Spanward <noreply@traces.example>"],
	]);
	expect(mail.headers.get("auto-submitted")).toEqual(["auto-generated"]);
	expect([mail.encrypted, mail.user]).toEqual([true, MAIL_USER]);
	expect(mail.text).toContain(linkOf(mail, "reset-url"));
});

describe("T114 no name or address adds a recipient, a header or markup:", () => {
	test.each([
		"a@example.com\r\nBcc: thief@example.com",
		"a@example.com\nSubject: other",
		"a@example.com,thief@example.com",
		"a@example.com;thief@example.com",
		'"a@example.com"@thief.example',
		'"a b"@example.com',
		"<thief@example.com>",
		"Name <thief@example.com>",
		"a(comment)@example.com",
		"a@example.com thief@example.com",
		"a@b@thief.example",
		"a@[127.0.0.1]",
		"a\u0000@example.com",
		"a@example.com>\r\nRCPT TO:<thief@example.com",
		"a%thief.example@\texample.com",
	])("the address %j", async (email) => {
		const username = `user-${randomBytes(6).toString("hex")}`;
		const user = { auth_method: "LOCAL", role: "MEMBER", username, email };
		expect((await asAdmin(server).send("POST", "/v1/users", { user })).status).toBe(422);
		expect((await requestLink(server, email)).status).toBe(204);
		expect((await requestLink(server, `${DEFAULT_ADMIN}${email}`)).status).toBe(204);
	});

	test.each([
		`<img src=x onerror=alert(1)> "&' ${randomBytes(4).toString("hex")}`,
		`</title><script>alert(1)</script>${randomBytes(4).toString("hex")}`,
		`javascript:alert(1) =?utf-8?q?x?= ${randomBytes(4).toString("hex")}`,
	])("the name %j", async (username) => {
		const { email } = await createUser({ username });
		const [mail] = await sink.waitFor(email);
		expect(mail?.text).toContain(username);
		expect(tagsOf(mail)).toEqual(tagsOf(await plainWelcome()));
	});

	test.each(["two\r\nBcc: thief@example.com", "two\u2028lines"])("the name %j", async (username) => {
		const user = {
			auth_method: "LOCAL",
			role: "MEMBER",
			username,
			email: `${randomBytes(6).toString("hex")}@example.com`,
		};
		expect((await asAdmin(server).send("POST", "/v1/users", { user })).status).toBe(422);
	});

	test("nothing went to anybody else, and every mail has each header once", async () => {
		await laterMailsArrived();
		for (const { to, headers } of sink.mails) {
			expect(to).toHaveLength(1);
			expect(headers.get("to")).toEqual([to[0]]);
			expect([headers.get("subject")?.length, headers.has("cc"), headers.has("bcc")]).toEqual([1, false, false]);
		}
		expect(sink.mails.filter(({ to }) => to.join().includes("thief"))).toEqual([]);
	});
});

test("an address of another script arrives", async () => {
	const email = `j\u00fcrgen-${randomBytes(4).toString("hex")}@b\u00fccher.example`;
	await createUser({ email });
	const [mail] = await sink.waitFor(email);
	expect(mail?.to).toEqual([email]);
});

describe("T115 nothing is sent, and no password shown, to a mail server that is not proven to be the right one:", () => {
	const cases: readonly [string, MailSinkOptions, Readonly<Record<string, string>>][] = [
		["no STARTTLS offered", { withoutStartTls: true }, {}],
		["unknown authority", { certificate: "untrusted" }, {}],
		["certificate of another host", { certificate: "wrong-host" }, {}],
		["certificate whose time is over", { certificate: "expired" }, {}],
		[
			"implicit TLS, unknown authority",
			{ implicitTls: true, certificate: "untrusted" },
			{ SERVICE_SMTP_TLS_MODE: "tls" },
		],
		["implicit TLS, another host", { implicitTls: true, certificate: "wrong-host" }, { SERVICE_SMTP_TLS_MODE: "tls" }],
		["implicit TLS expected, none spoken", {}, { SERVICE_SMTP_TLS_MODE: "tls" }],
	];
	test.each(cases)("%s", async (_name, options, env) => {
		await using other = await MailSink.start(options);
		await using sender = await startWithAuth({ ...other.env, ...env });
		expect((await requestLink(sender, DEFAULT_ADMIN)).status).toBe(204);
		await other.waitUntil("a failed mail", () => sender.output.includes("could not be sent") || undefined);
		// Stopping tries once more, at once.
		expect(await sender.stop()).toBe(0);
		expect([other.mails, other.logIns]).toEqual([[], []]);
		expect(sender.output).toContain("a mail could not be sent");
		expect(sender.output).toContain("SERVICE_SMTP_");
		expect(sender.output).not.toContain(MAIL_PASSWORD);
		expect(sender.output).not.toContain("#token=");
	});
});

describe("a mail arrives", () => {
	const cases: readonly [string, MailSinkOptions, Readonly<Record<string, string>>, Partial<ReceivedMail>][] = [
		["by STARTTLS", {}, {}, { encrypted: true }],
		["by implicit TLS", { implicitTls: true }, { SERVICE_SMTP_TLS_MODE: "tls" }, { encrypted: true }],
		[
			"unchecked, where the settings say so",
			{ certificate: "untrusted" },
			{ SERVICE_SMTP_VALIDATE_CERTS: "false" },
			{ encrypted: true },
		],
		[
			"unencrypted, where the settings say so",
			{ withoutStartTls: true },
			{ SERVICE_SMTP_TLS_MODE: "none" },
			{ encrypted: false },
		],
		["after a refusal for the moment", { refusals: { status: 451, count: 1 } }, {}, { encrypted: true }],
	];
	test.each(cases)("%s", async (_name, options, env, expected) => {
		await using other = await MailSink.start(options);
		await using sender = await startWithAuth({ ...other.env, ...env });
		await requestLink(sender, DEFAULT_ADMIN);
		expect(await waitForLink(other, DEFAULT_ADMIN)).toMatchObject({ ...expected, user: MAIL_USER });
		expect(sender.output.includes("SERVICE_SMTP_VALIDATE_CERTS=false")).toBe("SERVICE_SMTP_VALIDATE_CERTS" in env);
	});
});

test("a refusal for good is not tried again, and refused credentials are named but not shown", async () => {
	await using refusing = await MailSink.start({ refuseLogIn: true });
	await using sender = await startWithAuth({ ...refusing.env });
	await requestLink(sender, DEFAULT_ADMIN);
	await refusing.waitUntil("a refusal", () => sender.output.includes('a mail could not be sent"') || undefined);
	expect(refusing.logIns).toHaveLength(1);
	expect(sender.output).toContain("SERVICE_SMTP_USERNAME and SERVICE_SMTP_PASSWORD");
	for (const secret of [MAIL_PASSWORD, Buffer.from(MAIL_PASSWORD).toString("base64")]) {
		expect(sender.output).not.toContain(secret);
	}
});

test("a server that stops sends the mails that wait, and does not wait for a mail server that is silent", async () => {
	await using sender = await startWithAuth({ ...sink.env, SERVICE_ROOT_URL: ROOT_URL });
	const before = linkMails(sink, DEFAULT_ADMIN).length;
	const accounts = await Promise.all(Array.from({ length: 12 }, () => createUser({}, true, sender)));
	await requestLink(sender, DEFAULT_ADMIN);
	expect(await sender.stop()).toBe(0);
	expect(linkMails(sink, DEFAULT_ADMIN)).toHaveLength(before + 1);
	for (const { email } of accounts) expect(sink.mailsTo(email)).toHaveLength(1);

	await using silent = await SilentMailServer.start();
	await using stuck = await startWithAuth({ ...silent.env });
	await Promise.all(Array.from({ length: 5 }, () => createUser({}, true, stuck)));
	expect(await stuck.stop()).toBe(0);
	expect(stuck.output).toContain("waiting mails are dropped");
	expect(stuck.output).not.toContain("stopping anyway");
});

test("who is named by a review queue gets a mail from the server that runs", async () => {
	const subject = "You were added to a review queue in Spanward";
	const isOfQueue = ({ headers }: ReceivedMail) => headers.get("subject")?.[0] === subject;
	const mail = await sink.waitUntil(subject, () => sink.mailsTo(reviewer.email).find(isOfQueue));
	expect(linkOf(mail, "review-queue-url")).toBe(`${ROOT_URL}/reviews/${encodeURIComponent(reviewer.queueId)}`);
	expect(mail.text).toContain("Queue: Refunds");
});

async function nameReviewer(): Promise<typeof reviewer> {
	const { id, email } = await createAccount(server, "MEMBER");
	const admin = asAdmin(server);
	const config = await admin.data("POST", "/v1/annotation_configs", { name: "remark", type: "FREEFORM" });
	const questions = [{ annotation_config_id: config.id }];
	const queue = { name: "Refunds", target: "trace", questions, reviewers: [id] };
	return { email, queueId: (await admin.data("POST", "/v1/review_queues", queue)).id };
}

/** The tags of a mail, without what may differ between users. */
function tagsOf(mail: ReceivedMail | undefined): readonly string[] {
	return mail?.html.match(/<[^>]*>/g) ?? [];
}

/** Two mails are sent at once, so that what was queued before is here when two more have come one after the other. */
async function laterMailsArrived(): Promise<void> {
	for (let mail = 0; mail < 2; mail++) await plainWelcome();
}

async function plainWelcome(): Promise<ReceivedMail | undefined> {
	const { email } = await createUser({});
	return (await sink.waitFor(email))[0];
}

async function createUser(
	fields: Readonly<Record<string, string>>,
	welcome = true,
	to = server,
): Promise<{ readonly email: string; readonly username: string }> {
	const username = `user-${randomBytes(6).toString("hex")}`;
	const user = { auth_method: "LOCAL", role: "MEMBER", username, email: `${username}@example.com`, ...fields };
	return await asAdmin(to).data("POST", "/v1/users", { user, send_welcome_email: welcome });
}
