import { findKeptAdmin } from "#access/external-accounts/last-admin.ts";
import { Steps } from "#access/sign-in/steps.ts";
import { hasUsableAdmin } from "#access/users/queries.ts";
import type { Config } from "#base/config.ts";
import type { Database } from "#storage/database.ts";
import type { Section } from "./report.ts";

/** Checks that somebody can log in as an admin, and would keep that role at the next log-in. */
export async function checkAdmins(config: Config, { read }: Database): Promise<Section> {
	const steps = new Steps();
	const kept = await findKeptAdmin(read, config);
	if (kept !== undefined) {
		steps.warn(
			"account",
			`The only admin who can log in keeps that role although the provider or directory gives ${kept.role}: map a group or role of this person to ADMIN, or make somebody else an admin.`,
			{ settings: [], facts: [{ name: "account", value: kept.username }] },
		);
	} else if (await hasUsableAdmin(read, config)) steps.ok("account", "There is an admin who can log in.");
	else
		steps.warn(
			"account",
			"No admin has logged in yet in a way that is enabled: the log of the start says who is expected.",
		);
	return { title: "Admins", steps: steps.list };
}
