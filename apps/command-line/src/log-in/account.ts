import type { Spanward } from "@spanward/client";

/** Who asks, and what they may; null where the server asks for no log-in. */
export interface Account {
	readonly username: string | null;
	readonly email: string | null;
	readonly role: string | null;
	readonly credential: string | null;
	/** Of a key or log-in: null for all. */
	readonly permissions: readonly string[] | null;
	/** Names; null for all. */
	readonly projects: readonly string[] | null;
	/** Of the key, or of what was approved at the log-in. */
	readonly expires_at: string | null;
}

const ANYBODY: Account = {
	...{ username: null, email: null, role: null, credential: null },
	...{ permissions: null, projects: null, expires_at: null },
};

export async function accountOf(spanward: Spanward): Promise<Account> {
	const user = await spanward.users.me();
	if (user.auth_method === "ANONYMOUS") return ANYBODY;
	const { username, email, role, credential } = user;
	return {
		...{ username, email: email === "" ? null : email, role, credential },
		permissions: user.permissions ?? null,
		projects: user.projects?.map(({ name }) => name) ?? null,
		expires_at: user.client?.authorized_until ?? user.expires_at ?? null,
	};
}
