import { setTimeout as sleep } from "node:timers/promises";
import type { TestServer } from "../server.ts";
import { asAdmin, Client, createAccount, logIn } from "./accounts.ts";

const ROLES = ["viewer", "annotator", "editor", "manager"] as const;
const OVERLAP_SECONDS = 3_600;

/** One thing that is changed again and again. */
interface Changed {
	/** Entries of the audit log that each change leaves. */
	readonly entries: number;
	/** Its state after change number `number`, as {@link read} shows it. */
	readonly after: (number: number) => string;
	readonly change: (number: number) => Promise<unknown>;
	readonly read: () => Promise<string>;
}

interface Key {
	readonly id: string;
	readonly key: string;
}

/** Changes access, teams, rules and keys until a server is killed, and knows what it was told. */
export class AccessChanges {
	/** Entries of the audit log, by action, whose changes were answered. */
	readonly #acknowledged = new Map<string, number>();
	readonly #server: TestServer;
	readonly #session: Client;
	readonly #admin: Client;
	readonly #changed: ReadonlyMap<string, Changed & { last: number; next: number }>;
	#key: Key;
	readonly #deletedKeys: Key[] = [];

	private constructor(server: TestServer, session: Client, changed: ReadonlyMap<string, Changed>, key: Key) {
		this.#server = server;
		this.#session = session;
		this.#admin = asAdmin(server);
		this.#changed = new Map([...changed].map(([action, each]) => [action, { ...each, last: 0, next: 1 }]));
		this.#key = key;
	}

	static async create(server: TestServer): Promise<AccessChanges> {
		const admin = asAdmin(server);
		const [owner, member, other] = [
			await createAccount(server, "MEMBER"),
			await createAccount(server, "MEMBER"),
			await createAccount(server, "MEMBER"),
		];
		const { id: project } = await admin.data("POST", "/v1/projects", { name: "changed" });
		const { id: team } = await admin.data("POST", "/v1/teams", { name: "Changed" });
		const { id: rule } = await admin.data("POST", "/v1/access_rules", { pattern: "pay-0-*" });
		const session = await logIn(server, owner.email, owner.password);
		const access: Changed = {
			entries: 2,
			after: (number) => `${number % 2 === 0 ? "open" : "restricted"} ${roleOf(number)}`,
			change: (number) =>
				admin.data("PATCH", `/v1/projects/${project}/access`, {
					access: number % 2 === 0 ? "open" : "restricted",
					set: [{ subject: { user: member.id }, role: roleOf(number) }],
				}),
			read: async () => {
				const found = await admin.data("GET", `/v1/projects/${project}/access`);
				return `${found.access} ${found.grants[0]?.role}`;
			},
		};
		const people = (number: number) => (number % 2 === 0 ? [member, other] : [other, member]);
		const members: Changed = {
			entries: 1,
			after: (number) => people(number)[0]?.username ?? "",
			change: (number) => {
				const [added, removed] = people(number);
				return admin.data("PATCH", `/v1/teams/${team}/members`, { add: [added?.id], remove: [removed?.id] });
			},
			read: async () => {
				const found: { username: string }[] = await admin.data("GET", `/v1/teams/${team}/members`);
				return found.map(({ username }) => username).join();
			},
		};
		const rules: Changed = {
			entries: 2,
			after: (number) => `pay-${number}-* ${roleOf(number)}`,
			change: (number) =>
				admin.data("PATCH", `/v1/access_rules/${rule}`, {
					pattern: `pay-${number}-*`,
					grants: [{ subject: { team }, role: roleOf(number) }],
				}),
			read: async () => {
				const [found] = await admin.data("GET", "/v1/access_rules");
				return `${found.pattern} ${found.grants[0]?.role}`;
			},
		};
		const changed = new Map([
			["access.update", access],
			["team.member.add", members],
			["access.rule.update", rules],
		]);
		for (const each of changed.values()) await each.change(0);
		const changes = new AccessChanges(server, session, changed, await makeKey(session));
		for (const action of [...changed.keys(), "api_key.rotate", "api_key.delete"])
			changes.#acknowledged.set(action, await changes.#countEntries(action));
		return changes;
	}

	/** Kills the server with SIGKILL so many milliseconds after it answered the first change, and starts it again. */
	async crash(milliseconds: number): Promise<void> {
		const before = this.#acknowledgedEntries;
		const changing = [
			...[...this.#changed].map(
				([action, each]) =>
					() =>
						this.#changeOne(action, each),
			),
			() => this.#rotate(),
		].map(async (change) => {
			try {
				for (;;) await change();
			} catch (error) {
				// How fetch says that the connection broke.
				if (!(error instanceof TypeError)) throw error;
			}
		});
		while (this.#acknowledgedEntries === before) await sleep(5);
		await sleep(milliseconds);
		await this.#server.kill();
		await Promise.all(changing);
		await this.#server.start();
	}

	/** What was acknowledged and is not there, or is there in parts, one line each; what was being done may be there or not. */
	async findLosses(): Promise<string[]> {
		const lines: string[] = [];
		for (const [action, each] of this.#changed) {
			const found = await each.read();
			const possible = [each.last, each.next].map(each.after);
			if (!possible.includes(found)) lines.push(`${action}: "${found}" is there, not "${possible.join('" or "')}"`);
			each.last = found === possible[1] ? each.next : each.last;
			each.next = each.last + 1;
		}
		return [...lines, ...(await this.#findLostKeys())];
	}

	/** Actions of which the audit log has fewer entries than were acknowledged, or more than may have been made. */
	async findWrongEntries(crashes: number): Promise<string[]> {
		const lines: string[] = [];
		for (const [action, acknowledged] of this.#acknowledged) {
			const entries = await this.#countEntries(action);
			const unanswered = crashes * (this.#changed.get(action)?.entries ?? 1);
			if (entries < acknowledged || entries > acknowledged + unanswered)
				lines.push(`${entries} entries of ${action}, of which ${acknowledged} were acknowledged`);
		}
		return lines;
	}

	async #countEntries(action: string): Promise<number> {
		const response = await this.#admin.send("GET", `/v1/audit_events?action=${action}&format=ndjson`);
		return (await response.text()).split("\n").length - 1;
	}

	async #changeOne(action: string, each: Changed & { last: number; next: number }): Promise<void> {
		await each.change(each.next);
		each.last = each.next;
		each.next += 1;
		this.#acknowledge(action, each.entries);
	}

	/** Replaces the key, and deletes the one that was replaced. */
	async #rotate(): Promise<void> {
		const before = this.#key;
		const body = { overlap_seconds: OVERLAP_SECONDS };
		this.#key = await this.#session.data("POST", `/v1/user/api_keys/${before.id}/rotate`, body);
		this.#acknowledge("api_key.rotate");
		await this.#session.data("DELETE", `/v1/user/api_keys/${before.id}`);
		this.#deletedKeys.push(before);
		this.#acknowledge("api_key.delete");
	}

	async #findLostKeys(): Promise<string[]> {
		const lines: string[] = [];
		const listed: { id: string; expires_at?: string }[] = await this.#session.data("GET", "/v1/user/api_keys");
		const working = listed.filter(({ expires_at: end }) => end === undefined || Date.parse(end) > Date.now());
		if (working.length < 1 || working.length > 2) lines.push(`${working.length} keys work after a rotation`);
		const status = async ({ key }: Key) => (await new Client(this.#server, key).send("GET", "/v1/projects")).status;
		if ((await status(this.#key)) !== 200) lines.push("the last key that was acknowledged does not work");
		for (const key of this.#deletedKeys.splice(0).slice(-3))
			if ((await status(key)) !== 401) lines.push("a key works whose deletion was acknowledged");
		// The secret of a key whose making was not acknowledged is lost, and the key before it cannot be replaced again.
		this.#key = await makeKey(this.#session);
		for (const { id } of listed) {
			await this.#session.data("DELETE", `/v1/user/api_keys/${id}`);
			this.#acknowledge("api_key.delete");
		}
		return lines;
	}

	get #acknowledgedEntries(): number {
		return [...this.#acknowledged.values()].reduce((sum, entries) => sum + entries, 0);
	}

	#acknowledge(action: string, entries = 1): void {
		this.#acknowledged.set(action, (this.#acknowledged.get(action) ?? 0) + entries);
	}
}

function roleOf(number: number): string {
	return ROLES[number % ROLES.length] ?? "viewer";
}

async function makeKey(session: Client): Promise<Key> {
	return await session.data("POST", "/v1/user/api_keys", { data: { name: "rotated" } });
}
