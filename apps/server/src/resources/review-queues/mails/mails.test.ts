import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, T0, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { sendReviewMailsOnce } from "./send-mails.ts";

const PATH = "/v1/review_queues";
const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Noon of a day in UTC, in microseconds since 1970. */
const NOON = Math.floor(Date.now() / 86_400_000) * DAY + 30 * DAY + 12 * HOUR;
const SECRET = "mail-password-9b1c";

/** What the mail server took, and its answer to the next recipients instead of taking mails. */
const mails: { to: string; raw: string }[] = [];
let refusal: { status: number; text: string } | undefined;
let smtp: SMTPServer;
let server: TestApp;
let admin: TestPrincipal;
let lead: TestPrincipal;
let ann: TestPrincipal;
let ben: TestPrincipal;
let config: string;

beforeAll(async () => {
	smtp = new SMTPServer({
		allowInsecureAuth: true,
		disabledCommands: ["STARTTLS"],
		disableReverseLookup: true,
		onAuth: (_auth, _session, done) => done(null, { user: "spanward" }),
		onRcptTo: (_address, _session, done) =>
			done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.status })),
		onData: (stream, session, done) => {
			let raw = "";
			stream.on("data", (chunk) => {
				raw += chunk;
			});
			stream.on("end", () => {
				mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), raw });
				done();
			});
		},
	});
	const listening = smtp.listen(0, "127.0.0.1");
	await once(listening, "listening");
	const address = listening.address();
	server = await openTestApp({
		...{ SERVICE_ENABLE_AUTH: "true", SERVICE_ROOT_URL: "https://traces.example.invalid/below" },
		...{ SERVICE_HOST_ROOT_PATH: "/below", SERVICE_SMTP_HOSTNAME: "127.0.0.1", SERVICE_SMTP_TLS_MODE: "none" },
		...{ SERVICE_SMTP_PORT: String(typeof address === "object" ? address?.port : "") },
		...{ SERVICE_SMTP_USERNAME: "spanward", SERVICE_SMTP_PASSWORD: SECRET },
	});
	admin = await server.signedIn("ADMIN");
	[lead, ann, ben] = [
		await server.signedIn("MEMBER"),
		await server.signedIn("MEMBER"),
		await server.signedIn("MEMBER"),
	];
	config = (await call("POST", "/v1/annotation_configs", { name: "remark", type: "FREEFORM" }, admin)).json.data.id;
	const spans = [1, 2].map((index) => ({
		...{ traceId: `${index}`.repeat(32), spanId: `${index}`.repeat(16), name: "the secret of a customer", kind: 1 },
		...{ startTimeUnixNano: `${T0}000000000`, endTimeUnixNano: `${T0 + 1}000000000` },
	}));
	const body = { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans }] }] };
	const sent = await server.call("POST", "/v1/traces", body, { ...admin.headers, "x-project-name": "mailed" });
	expect([sent.status, sent.text]).toEqual([200, "{}"]);
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await new Promise<void>((resolve) => smtp.close(() => resolve()));
});
beforeEach(async () => {
	await server.context.db.write((transaction) => transaction.deleteFrom("review_queues").execute());
	mails.length = 0;
	refusal = undefined;
});

const call = (method: "POST" | "PATCH", path: string, body: unknown, { headers }: TestPrincipal) =>
	server.call(method, path, body, { ...headers, accept: "application/problem+json" });
const idOf = ({ userId }: TestPrincipal) => encodeGlobalId("User", userId);
const toTime = (micros: number) => new Date(micros / 1_000).toISOString();

async function queueOf(more: object): Promise<string> {
	const questions = [{ annotation_config_id: config }];
	const made = await call("POST", PATH, { name: "Refunds <b>", target: "trace", questions, ...more }, lead);
	expect([made.status, made.text]).toEqual([201, expect.anything()]);
	return made.json.data.id;
}

async function fill(queue: string): Promise<void> {
	const targets = [1, 2].map((index) => ({ trace_id: `${index}`.repeat(32) }));
	const { json } = await call("POST", `${PATH}/${queue}/items`, { targets }, lead);
	expect(json.data.added).toBe(2);
}

/** Who is mailed in a round at a time. @param now microseconds since 1970; what was noted earlier counts as noted then */
async function mailedAt(now = NOON, signal = new AbortController().signal): Promise<string[]> {
	const before = mails.length;
	await sendReviewMailsOnce({ ...server.context, now: () => now }, signal);
	return mails.slice(before).map(({ to }) => to);
}

const textOf = (raw: string) => raw.replace(/=\r\n/g, "").replace(/=3D/g, "=");

test("who is named by somebody else is mailed once, as what, with a link below the root path, whichever server sends it", async () => {
	const queue = await queueOf({ reviewers: [idOf(ann), idOf(lead)], adjudicators: [idOf(ben), idOf(ann)] });
	await fill(queue);
	const rounds = await Promise.all(
		[1, 2].map(() => sendReviewMailsOnce({ ...server.context, now: () => NOON }, new AbortController().signal)),
	);
	expect(rounds).toHaveLength(2);
	expect(mails.map(({ to }) => to).toSorted()).toEqual([ann.email, ben.email].toSorted());
	const raw = textOf(mails.find(({ to }) => to === ann.email)?.raw ?? "");
	expect(raw).toContain("Subject: You were added to a review queue in Spanward");
	expect(raw).toContain("a reviewer and an adjudicator");
	expect(raw).toContain("Queue: Refunds <b>");
	expect(raw).toContain("Queue: <strong>Refunds &#60;b&#62;</strong>");
	expect(raw).toContain("Waiting for your answer: 2");
	expect(raw).toContain(`https://traces.example.invalid/below/reviews/${encodeURIComponent(queue)}`);
	expect(mails.map((each) => textOf(each.raw)).join()).not.toContain("secret of a customer");
	expect(await mailedAt(NOON + DAY)).toEqual([]);
});

test("who is added later on the same day is mailed on the next one, and who was taken out or may not review any more is not", async () => {
	const viewer = await server.signedIn("MEMBER");
	const queue = await queueOf({ reviewers: [idOf(ann), idOf(ben), idOf(viewer)] });
	await call("PATCH", `${PATH}/${queue}`, { reviewers: [idOf(ann), idOf(viewer)] }, lead);
	await server.context.db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", viewer.userId).execute(),
	);
	expect(await mailedAt()).toEqual([ann.email]);
	await call("PATCH", `${PATH}/${queue}`, { adjudicators: [idOf(ann)] }, lead);
	expect(await mailedAt(NOON + HOUR)).toEqual([]);
	expect(await mailedAt(NOON + DAY)).toEqual([ann.email]);
	expect(textOf(mails.at(-1)?.raw ?? "")).toContain("as an adjudicator of this");
	await call("PATCH", `${PATH}/${queue}`, { archived: true, adjudicators: [idOf(ann), idOf(ben)] }, lead);
	expect(await mailedAt(NOON + 2 * DAY)).toEqual([]);
});

test("a queue that is due is told once to those for whom items wait, a day before at most", async () => {
	const due = NOON + DAY + 3 * HOUR;
	const queue = await queueOf({ due_at: toTime(due), adjudicators: [idOf(ben)] });
	await fill(queue);
	await mailedAt(NOON - 5 * DAY);
	expect(await mailedAt(NOON)).toEqual([]);
	// Everybody may review in it, and ann has begun to.
	expect((await call("POST", `${PATH}/${queue}/next`, undefined, ann)).status).toBe(200);
	expect(await mailedAt(NOON)).toEqual([]);
	expect((await call("PATCH", "/v1/projects/mailed/access", { access: "restricted" }, admin)).status).toBe(200);
	expect(await mailedAt(due - 23 * HOUR)).toEqual([]);
	expect((await call("PATCH", "/v1/projects/mailed/access", { access: "open" }, admin)).status).toBe(200);
	expect(await mailedAt(due - 21 * HOUR)).toEqual([ann.email]);
	expect(textOf(mails.at(-1)?.raw ?? "")).toContain("Subject: A review queue in Spanward is due");
	expect(textOf(mails.at(-1)?.raw ?? "")).toContain(`Due: ${toTime(due).slice(0, 16).replace("T", " ")} UTC`);
	expect(await mailedAt(due - HOUR)).toEqual([]);
	// It is put off, and due again.
	await call("PATCH", `${PATH}/${queue}`, { due_at: toTime(due + 5 * DAY) }, lead);
	expect(await mailedAt(due + 2 * DAY)).toEqual([]);
	expect(await mailedAt(due + 4 * DAY + HOUR)).toEqual([ann.email]);
	expect(await mailedAt(due + 5 * DAY)).toEqual([]);
});

test("an adjudicator is told of what waits for a decision, and nobody once nothing waits", async () => {
	const due = toTime(NOON + HOUR);
	const queue = await queueOf({ due_at: due, reviewers: [idOf(lead)], adjudicators: [idOf(ben)] });
	await fill(queue);
	expect(await mailedAt(NOON - 3 * DAY)).toEqual([ben.email]);
	await server.context.db.write((transaction) =>
		transaction.updateTable("review_items").set({ state: "disagreement" }).execute(),
	);
	expect(await mailedAt()).toEqual([ben.email]);
	expect(textOf(mails.at(-1)?.raw ?? "")).toContain("Waiting for your decision: 2");
});

test("a mail that was not taken is tried again later, unless it was refused for good; the log has no credentials", async () => {
	let log = "";
	const noting = (about: object, text: string) => {
		log += `${JSON.stringify(about)} ${text}\n`;
	};
	const context = {
		...server.context,
		log: Object.assign(Object.create(server.context.log), { warn: noting, error: noting }),
	};
	const round = async (now: number) => {
		const before = mails.length;
		await sendReviewMailsOnce({ ...context, now: () => now }, new AbortController().signal);
		return mails.slice(before).map(({ to }) => to);
	};
	await queueOf({ reviewers: [idOf(ann)] });
	refusal = { status: 451, text: "later" };
	expect(await round(NOON)).toEqual([]);
	expect(log).toMatch(/"answer":"451 later".*it will be tried again\n$/);
	refusal = undefined;
	expect(await round(NOON)).toEqual([]);
	expect(await round(NOON + MINUTE)).toEqual([ann.email]);
	await queueOf({ name: "another", reviewers: [idOf(ben)] });
	refusal = { status: 550, text: "nobody" };
	expect(await round(NOON)).toEqual([]);
	refusal = undefined;
	expect(log).toMatch(/a mail about a review queue could not be sent\n$/);
	expect(await round(NOON + DAY)).toEqual([]);
	expect(log).not.toContain(SECRET);
	expect(log).not.toContain(Buffer.from(`\0spanward\0${SECRET}`).toString("base64"));
});

test("a mail whose process was killed while it went is not sent again that day, and nothing is noted where mail is off", async () => {
	await queueOf({ reviewers: [idOf(ann)] });
	const { db } = server.context;
	await db.write((transaction) =>
		transaction
			.updateTable("review_mails")
			.set({ mailed_on: Math.floor(NOON / DAY) })
			.execute(),
	);
	expect(await mailedAt()).toEqual([]);
	expect(await mailedAt(NOON + DAY)).toEqual([ann.email]);
	await using without = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const someone = await without.signedIn("ADMIN");
	const other = await without.signedIn("MEMBER");
	const made = await without.call(
		"POST",
		"/v1/annotation_configs",
		{ name: "remark", type: "FREEFORM" },
		someone.headers,
	);
	const body = {
		name: "quiet",
		target: "trace",
		questions: [{ annotation_config_id: made.json.data.id }],
		reviewers: [idOf(other)],
	};
	expect((await without.call("POST", PATH, body, someone.headers)).status).toBe(201);
	expect(await without.context.db.read.selectFrom("review_mails").selectAll().execute()).toEqual([]);
});
