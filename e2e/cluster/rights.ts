import { asAdmin, Client, createAccount, createUserKey, logIn } from "../access/accounts.ts";
import type { TestServer } from "../server.ts";

const READ = "/v1/projects";
const FOR_ADMINS = "/v1/users";

/** Statuses of a session, of a key that is deleted, and of another key, asked for what all and what only admins may read. */
export const ALIVE = [200, 200, 200, 200];
export const ENDED = [401, 401, 200, 403];
export const UNKNOWN = [503, 503, 503, 503];

/** What an admin of servers that share a database has, and what is left when somebody took it away. */
export class Rights {
	readonly #session: Client;
	readonly #userId: string;
	readonly #keyId: string;
	readonly #keys: readonly [deleted: string, demoted: string];

	private constructor(session: Client, userId: string, keyId: string, keys: readonly [string, string]) {
		this.#session = session;
		this.#userId = userId;
		this.#keyId = keyId;
		this.#keys = keys;
	}

	static async create(server: TestServer): Promise<Rights> {
		const { id, email, password } = await createAccount(server, "ADMIN");
		const session = await logIn(server, email, password);
		const deleted = await session.data("POST", "/v1/user/api_keys", { data: { name: "to be deleted" } });
		return new Rights(session, id, deleted.id, [deleted.key, await createUserKey(session)]);
	}

	/** Deletes a key, logs out and takes the role away; each was answered when this resolves. */
	async end(server: TestServer): Promise<void> {
		const session = this.#at(server);
		await session.data("DELETE", `/v1/user/api_keys/${this.#keyId}`);
		const { status } = await session.send("POST", "/auth/logout");
		if (status !== 204) throw new Error(`log-out answered ${status}`);
		await asAdmin(server).data("PATCH", `${FOR_ADMINS}/${this.#userId}`, { role: "MEMBER" });
	}

	/** To be compared with {@link ALIVE}, {@link ENDED} and {@link UNKNOWN}. */
	async statuses(server: TestServer): Promise<number[]> {
		const [deleted, demoted] = this.#keys.map((key) => new Client(server, key)) as [Client, Client];
		const asked = [
			this.#at(server).send("GET", READ),
			deleted.send("GET", READ),
			demoted.send("GET", READ),
			demoted.send("GET", FOR_ADMINS),
		];
		return (await Promise.all(asked)).map(({ status }) => status);
	}

	#at(server: TestServer): Client {
		const client = new Client(server);
		for (const [name, value] of this.#session.cookies) client.cookies.set(name, value);
		return client;
	}
}
