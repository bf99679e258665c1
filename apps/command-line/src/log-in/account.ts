import type { Spanward } from "@spanward/client";

/** Who asks; null where the server asks for no log-in. */
export interface Account {
	readonly username: string | null;
	readonly email: string | null;
	readonly role: string | null;
	readonly credential: string | null;
}

export async function accountOf(spanward: Spanward): Promise<Account> {
	const user = await spanward.users.me();
	if (user.auth_method === "ANONYMOUS") return { username: null, email: null, role: null, credential: null };
	const { username, email, role, credential } = user;
	return { username, email: email === "" ? null : email, role, credential };
}
