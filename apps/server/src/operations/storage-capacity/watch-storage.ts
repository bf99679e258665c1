import type { Transaction } from "kysely";
import type { MailedUser } from "#access/mail/user-mails.ts";
import { isBuiltInEmail } from "#base/email.ts";
import { present } from "#base/present.ts";
import type { WritingContext } from "#context.ts";
import { jobOfEachProcess } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { capacitySettings, type StorageUsage } from "./storage-capacity.ts";

type StorageContext = Pick<WritingContext, "auth" | "capacity" | "config" | "db" | "log" | "metrics" | "now">;

const EVERY_MS = 60_000;
/** An admin gets at most one mail in this time. */
const DAY_MICROS = 86_400_000_000;
/** Row of `state`: when each admin was last mailed, by row number. */
const MAILED = "storage_warnings";

/** Measures the storage every minute, which blocks new data while it is full, and mails admins before that. */
export function watchStorage(context: StorageContext): AsyncDisposable {
	const { capacity, config, log } = context;
	let state: StorageUsage["state"] = "ok";
	if (!capacity.isLimited) return new AsyncDisposableStack();
	return jobOfEachProcess(context, "storage capacity", EVERY_MS, async () => {
		const usage = await capacity.measure();
		if (usage.state !== state) logChange(log, usage);
		state = usage.state;
		const { warning } = capacitySettings(config);
		if (warning !== null && (usage.usedPercentage ?? 0) > warning) await warnAdmins(context, usage);
	});
}

function logChange(
	log: WritingContext["log"],
	{ state, usedBytes, capacityBytes, usedPercentage }: StorageUsage,
): void {
	const about = { usedBytes, capacityBytes, usedPercentage };
	if (state === "blocked") log.error(about, "the storage is full: nothing new is stored until there is room");
	else if (state === "warning") log.warn(about, "the storage is nearly full");
	else log.info(about, "the storage has room again");
}

async function warnAdmins({ auth, config, db, now }: StorageContext, usage: StorageUsage): Promise<void> {
	if (!auth.mail.isConfigured) return;
	const due = await db.write((transaction) => takeDueAdmins(transaction, now()));
	const { blocking } = capacitySettings(config);
	const warning = {
		usedBytes: usage.usedBytes,
		capacityBytes: present(usage.capacityBytes, "the capacity that is nearly used"),
		usedPercentage: present(usage.usedPercentage, "the share of the capacity that is used"),
		blockingPercentage: blocking,
	};
	for (const admin of due) auth.userMails.storageWarning(admin, warning);
}

/** The admins who got no mail for a day; records them as mailed. */
async function takeDueAdmins(transaction: Transaction<Tables>, now: number): Promise<MailedUser[]> {
	const row = await transaction.selectFrom("state").select("value").where("name", "=", MAILED).executeTakeFirst();
	const mailed = Object.entries(row === undefined ? {} : (JSON.parse(row.value) as Record<string, number>));
	const recent = new Map(mailed.filter(([, at]) => at > now - DAY_MICROS));
	const admins = await transaction
		.selectFrom("users")
		.select(["id", "email", "username"])
		.where("role", "=", "ADMIN")
		.orderBy("id")
		.execute();
	const due = admins.filter(({ id, email }) => email !== null && !isBuiltInEmail(email) && !recent.has(String(id)));
	if (due.length === 0) return [];
	for (const { id } of due) recent.set(String(id), now);
	const value = JSON.stringify(Object.fromEntries(recent));
	await transaction
		.insertInto("state")
		.values({ name: MAILED, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
	return due;
}
