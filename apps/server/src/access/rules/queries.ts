import type { Kysely, Selectable, Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { listed } from "#storage/listed.ts";
import { fitsPattern } from "#storage/projects/project-pattern.ts";
import type { Access, Tables } from "#storage/schema.ts";
import { columnsOf, type WantedGrant } from "../subjects/find-subjects.ts";

export type RuleRow = Selectable<Tables["access_rules"]>;
export type RuleGrantRow = Pick<Selectable<Tables["access_rule_grants"]>, "rule_id" | "user_id" | "team_id" | "role">;

const MAX_RULES = 200;

/** Rules, oldest first, from `fromId` on. */
export async function listRules(
	db: Kysely<Tables>,
	{ limit, fromId = 0 }: { limit: number; fromId?: number | undefined },
): Promise<RuleRow[]> {
	return await db.selectFrom("access_rules").selectAll().where("id", ">=", fromId).orderBy("id").limit(limit).execute();
}

export async function listRuleGrants(db: Kysely<Tables>, ruleIds: readonly number[]): Promise<RuleGrantRow[]> {
	return await db
		.selectFrom("access_rule_grants")
		.select(["rule_id", "user_id", "team_id", "role"])
		.where("rule_id", "in", listed(ruleIds))
		.orderBy("id")
		.execute();
}

/** The rule that a path names. @throws UserError 422, 404 */
export async function getRule(db: Kysely<Tables>, text: string): Promise<RuleRow> {
	const id = decodeGlobalId(text, "AccessRule");
	if (id === undefined) throw new UserError(422, "invalid_rule_id", `Invalid rule id: ${text.slice(0, 100)}`);
	const rule = await db.selectFrom("access_rules").selectAll().where("id", "=", id).executeTakeFirst();
	if (rule === undefined) throw notFound("rule_not_found", "There is no such rule");
	return rule;
}

/** @throws UserError 409 when there are too many */
export async function insertRule(
	transaction: Transaction<Tables>,
	rule: { pattern: string; access_of_new: Access | null; description: string | null; now: number },
): Promise<RuleRow> {
	const { count } = await transaction
		.selectFrom("access_rules")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	if (count >= MAX_RULES) throw new UserError(409, "too_many_rules", `There are already ${MAX_RULES} rules.`);
	const { now, ...columns } = rule;
	return await transaction
		.insertInto("access_rules")
		.values({ ...columns, created_at: now, updated_at: now })
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function updateRule(
	transaction: Transaction<Tables>,
	before: RuleRow,
	changes: Partial<Pick<RuleRow, "pattern" | "access_of_new" | "description">>,
	now: number,
): Promise<RuleRow> {
	return await transaction
		.updateTable("access_rules")
		.set({ ...changes, updated_at: Math.max(now, before.updated_at + 1) })
		.where("id", "=", before.id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** Gives the rule exactly these grants. */
export async function replaceRuleGrants(
	transaction: Transaction<Tables>,
	ruleId: number,
	grants: readonly WantedGrant[],
): Promise<void> {
	await transaction.deleteFrom("access_rule_grants").where("rule_id", "=", ruleId).execute();
	if (grants.length === 0) return;
	const rows = grants.map(({ subject, role }) => ({ rule_id: ruleId, ...columnsOf(subject), role }));
	await transaction.insertInto("access_rule_grants").values(rows).execute();
}

/** Projects that a pattern fits, newest first. */
export async function findFitting(db: Kysely<Tables>, pattern: string): Promise<{ id: number; name: string }[]> {
	const projects = await db
		.selectFrom("projects")
		.select(["id", "name"])
		.where("origin", "is", null)
		.orderBy("id", "desc")
		.execute();
	return projects.filter(({ name }) => fitsPattern(name, pattern));
}
