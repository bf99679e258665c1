import type { Updateable } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { NewUser, UserRow } from "../users/queries.ts";

/** Which account an identity comes to, and what the log-in changes of it. */
export type Decision =
	| {
			/** `bind`: an account that was waiting for its first log-in becomes this identity's. */
			readonly kind: "known" | "bind";
			readonly user: UserRow;
			readonly changes: Updateable<Tables["users"]>;
			/** The role that the provider or directory gives, where it would take that of the last admin. */
			readonly refusedRole?: string;
	  }
	| { readonly kind: "create"; readonly user: Omit<NewUser, "now"> };
