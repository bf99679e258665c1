import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { credentials, Client as GrpcClient, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
	type Account,
	ADMIN_SECRET,
	asAdmin,
	createAccount,
	createUserKey,
	logIn,
	logInAs,
	startWithAuth,
} from "./access/accounts.ts";
import { MailSink, type ReceivedMail } from "./mail-sink.ts";
import type { TestServer } from "./server.ts";

const GIBIBYTE = 1_073_741_824;
const SUBJECT = "[Phoenix] Database Disk Space Usage Threshold Exceeded";
const FULL =
	"Database operations are disabled due to insufficient storage. Please delete old data or increase storage.";

/** The size then depends on what was sent alone. */
const WITHOUT_INDEX = { SERVICE_ENABLE_TEXT_INDEX: "false" };

let folder: string;
let admin: Account;
/** What the database holds with the project `large`, and without. */
let used: { readonly with: number; readonly without: number };

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-capacity-"));
	await using server = await startWithAuth(WITHOUT_INDEX, folder);
	admin = await createAccount(server, "ADMIN");
	const without = await usedBytes(server);
	for (let index = 0; index < 10; index += 1) expect((await send(server, 1_000_000, "large")).status).toBe(200);
	used = { with: await usedBytes(server), without };
	expect(used.with).toBeGreaterThan(without + 6_000_000);
	await server.stop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Settings with which the database is fuller than `threshold` % only with the project `large`. */
function limitedTo(threshold: "WARNING" | "BLOCKING"): Record<string, string> {
	const capacity = (used.with + used.without) / 2 / 0.8 / GIBIBYTE;
	const name = threshold === "WARNING" ? "EMAIL_WARNING" : "INSERTION_BLOCKING";
	return {
		...WITHOUT_INDEX,
		SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: capacity.toFixed(9),
		[`SERVICE_DATABASE_USAGE_${name}_THRESHOLD_PERCENTAGE`]: "80",
	};
}

test("stores nothing new above the threshold, goes on with everything else, and stores again when there is room", async () => {
	await using server = await startWithAuth(limitedTo("BLOCKING"), folder);
	const secret = asAdmin(server);
	expect(await secret.data("GET", "/v1/storage")).toMatchObject({
		state: "blocked",
		blocking_threshold_percentage: 80,
		warning_threshold_percentage: null,
	});

	const refused = await send(server, 10);
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
	const answer = (await refused.json()) as { code: number; message: string };
	expect(answer).toMatchObject({
		code: status.RESOURCE_EXHAUSTED,
		message: expect.stringContaining("storage is full"),
	});
	const overGrpc = await sendOverGrpc(server);
	expect(overGrpc.code).toBe(status.RESOURCE_EXHAUSTED);
	expect(overGrpc.metadata.get("grpc-status-details-bin")[0]?.toString()).toContain("google.rpc.RetryInfo");

	const client = await logIn(server, admin.email, admin.password);
	const post = async (path: string, body: unknown) => {
		const response = await client.send("POST", path, body);
		return [response.status, await response.text()];
	};
	expect(await post("/v1/projects", { name: "new" })).toEqual([507, FULL]);
	expect(await post("/v1/user/api_keys", { data: { name: "new" } })).toEqual([507, FULL]);
	expect(await post("/v1/projects/default/spans", { data: [] })).toEqual([507, FULL]);
	expect((await client.send("PUT", "/v1/secrets", { secrets: [] })).status).toBe(507);

	expect(await client.data("PATCH", "/v1/user", { username: "Renamed" })).toMatchObject({ username: "Renamed" });
	expect(await client.data("GET", "/v1/projects")).toHaveLength(2);
	const policy = await client.data("POST", "/v1/retention_policies", { name: "short", max_days: 7 });
	await client.data("PATCH", "/v1/projects/default/retention", { policy_id: policy.id });
	expect((await client.send("POST", "/auth/logout")).status).toBe(204);

	expect((await secret.send("DELETE", "/v1/projects/large")).status).toBe(204);
	expect(await secret.data("GET", "/v1/storage")).toMatchObject({ state: "ok" });
	expect((await send(server, 10)).status).toBe(200);
	expect((await secret.send("POST", "/v1/projects", { name: "new" })).status).toBe(200);

	// The next test needs it full.
	for (let index = 0; index < 10; index += 1) await send(server, 1_000_000, "large");
	await server.stop();
});

test("tells who may not write that they may not, also while the storage is full", async () => {
	await using server = await startWithAuth(
		{ ...limitedTo("BLOCKING"), SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "1" },
		folder,
	);
	const viewer = await logInAs(server, "VIEWER");
	const key = await createUserKey(viewer);
	await server.stop();
	await using full = await startWithAuth(limitedTo("BLOCKING"), folder);
	const create = (headers: Record<string, string>) =>
		fetch(`${full.url}/v1/projects`, { method: "POST", headers: { "content-type": "application/json", ...headers } });
	expect((await create({})).status).toBe(401);
	expect((await create({ authorization: `Bearer ${key}` })).status).toBe(403);
	expect((await send(full, 10, "default", { authorization: `Bearer ${key}` })).status).toBe(403);
	await full.stop();
});

test("mails each admin once a day, and the support address with them, also over restarts", async () => {
	await using sink = await MailSink.start();
	const env = { ...sink.env, ...limitedTo("WARNING"), SERVICE_SUPPORT_EMAIL: "help@example.com" };
	{
		await using server = await startWithAuth(env, folder);
		const [mail] = await sink.waitFor(admin.email);
		expectWarning(mail);
		expect((await send(server, 10)).status).toBe(200);
		await server.stop();
	}
	const later = `${randomBytes(6).toString("hex")}@example.com`;
	await using server = await startWithAuth({ ...env, SERVICE_ADMINS: `Later Admin=${later}` }, folder);
	await sink.waitUntil("a warning of the later admin", () => warningsTo(sink, later)[0]);
	await server.stop();
	expect(warningsTo(sink, admin.email)).toHaveLength(1);
	expect(sink.mails.flatMap(({ to }) => to)).not.toContain("admin@localhost");
});

function expectWarning(mail: ReceivedMail | undefined): void {
	expect(mail?.headers.get("subject")).toEqual([SUBJECT]);
	expect(mail?.headers.get("to")).toEqual([admin.email]);
	expect(mail?.headers.get("cc")).toEqual(["help@example.com"]);
	expect(mail?.to).toEqual([admin.email, "help@example.com"]);
	expect(mail?.html).toContain("<title>Database Usage Notification</title>");
	expect(mail?.html).toContain("help@example.com");
	expect(mail?.text).toContain("help@example.com");
	expect(mail?.text).toMatch(/In use: 0\.\d+ GiB, (8\d|9\d|1\d\d)\.\d %/);
}

function warningsTo(sink: MailSink, address: string): readonly ReceivedMail[] {
	return sink.mailsTo(address).filter(({ headers }) => headers.get("subject")?.[0] === SUBJECT);
}

async function usedBytes(server: TestServer): Promise<number> {
	return (await asAdmin(server).data("GET", "/v1/storage")).used_bytes;
}

/** Exports a span with this many bytes that do not compress. */
async function send(server: TestServer, bytes: number, project = "default", headers: Record<string, string> = {}) {
	const span = {
		traceId: randomBytes(16).toString("hex"),
		spanId: randomBytes(8).toString("hex"),
		name: "filler",
		startTimeUnixNano: "1700000000000000000",
		endTimeUnixNano: "1700000001000000000",
		attributes: [
			{ key: "input.value", value: { stringValue: randomBytes(Math.ceil(bytes * 0.75)).toString("base64") } },
		],
	};
	return await asAdmin(server).send(
		"POST",
		"/v1/traces",
		{ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
		{ "x-project-name": project, ...headers },
	);
}

async function sendOverGrpc(server: TestServer): Promise<ServiceError> {
	const client = new GrpcClient(server.grpcAddress, credentials.createInsecure());
	const metadata = new Metadata();
	metadata.set("authorization", `Bearer ${ADMIN_SECRET}`);
	const identity = (bytes: Buffer) => bytes;
	const call = promisify((done: (error: ServiceError | null) => void) =>
		client.makeUnaryRequest(
			"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
			identity,
			identity,
			Buffer.alloc(0),
			metadata,
			{ deadline: Date.now() + 300_000 },
			done,
		),
	);
	return await call()
		.then(
			() => Promise.reject(new Error("the export was accepted")),
			(error: ServiceError) => error,
		)
		.finally(() => client.close());
}
