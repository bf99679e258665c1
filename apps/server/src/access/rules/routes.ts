import type { Kysely } from "kysely";
import { z } from "zod";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { assertIfMatch, assertTagMatches, etagOf, setEtag } from "#http/etag.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { assertRoom } from "#http/storage-full.ts";
import { formatTime } from "#http/wire-times.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import { lastChangeDetails } from "../audit/queries.ts";
import type { AuditTarget } from "../auth/audit.ts";
import { noteRightsChange } from "../rights/change-rights.ts";
import { assertNoOlderServer } from "../rights/older-servers.ts";
import { includesRole } from "../rights/roles.ts";
import {
	type FoundSubject,
	findGrants,
	findNames,
	keyOf,
	toSubject,
	type WantedGrant,
} from "../subjects/find-subjects.ts";
import {
	findFitting,
	getRule,
	insertRule,
	listRuleGrants,
	listRules,
	type RuleGrantRow,
	type RuleRow,
	replaceRuleGrants,
	updateRule,
} from "./queries.ts";
import {
	CreateRuleBody,
	MAX_PREVIEW,
	PreviewBody,
	Rule,
	RuleListQuery,
	RulePreview,
	UpdateRuleBody,
} from "./schemas.ts";

const OneRule = z.object({ data: Rule });
const params = z.object({ rule_id: z.string() });
const noQuery = z.strictObject({});
const tags = ["access"];
const whenAuthIsOff = "refused";

/** Grants for all projects whose name fits a pattern. */
export function accessRuleRoutes(app: App, { auth, capacity, cluster, db, now }: Context): void {
	app.get(
		"/v1/access_rules",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "listAccessRules",
				tags,
				summary: "Page through rules, oldest first",
				querystring: RuleListQuery,
				response: { 200: pageSchema(Rule).meta({ id: "AccessRulePage" }) },
			},
		},
		async ({ query }) => {
			const { data, next_cursor } = await pageOf(
				"AccessRule",
				query,
				(part) => listRules(db.read, part),
				(row) => row,
			);
			return { data: await toRules(db.read, data), next_cursor };
		},
	);

	app.post(
		"/v1/access_rules",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "createAccessRule",
				tags,
				summary: "Give roles in all projects whose name fits a pattern, now and later",
				querystring: noQuery,
				body: CreateRuleBody,
				response: { 201: OneRule },
			},
		},
		async (request, reply) => {
			const { pattern, access_of_new = null, description = null, grants = [] } = request.body;
			if (access_of_new === "restricted") await assertNoOlderServer(cluster);
			const created = await request.actor.change(async (transaction, principal) => {
				const wanted = await findGrants(transaction, grants);
				const row = await insertRule(transaction, { pattern, access_of_new, description, now: now() });
				await replaceRuleGrants(transaction, row.id, wanted);
				await noteRightsChange(transaction);
				const about = { outcome: "success", principal, request, target: ruleTarget(row) } as const;
				await auth.audit.recordIn(transaction, { ...about, action: "access.rule.create", details: { access_of_new } });
				for (const { subject, role } of wanted) {
					const details = { [subject.type]: subject.name, role_before: null, role };
					await auth.audit.recordIn(transaction, { ...about, action: "access.rule.update", details });
				}
				return row;
			});
			auth.rights.invalidate();
			setEtag(reply, created);
			return reply.code(201).send({ data: await toRule(created) });
		},
	);

	app.get(
		"/v1/access_rules/:rule_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "getAccessRule",
				tags,
				summary: "Get a rule, with the ETag by which it is changed",
				params,
				querystring: noQuery,
				response: { 200: OneRule },
			},
		},
		async (request, reply) => {
			const rule = await getRule(db.read, request.params.rule_id);
			setEtag(reply, rule);
			return { data: await toRule(rule) };
		},
	);

	app.patch(
		"/v1/access_rules/:rule_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff, whenFull: "allowed" },
			schema: {
				operationId: "updateAccessRule",
				tags,
				summary: "Change a rule; who loses a role by it loses it at once",
				params,
				querystring: noQuery,
				body: UpdateRuleBody,
				response: { 200: OneRule },
			},
		},
		async (request, reply) => {
			const { grants, ...columns } = request.body;
			if (columns.access_of_new === "restricted") await assertNoOlderServer(cluster);
			const updated = await request.actor.change(async (transaction, principal) => {
				const before = await getRule(transaction, request.params.rule_id);
				await assertTagMatches(request, etagOf(before), () =>
					lastChangeDetails(transaction, ["access.rule.create", "access.rule.update"], ruleTarget(before)),
				);
				const { pattern = before.pattern, access_of_new = before.access_of_new } = columns;
				const { description = before.description } = columns;
				const wanted = grants === undefined ? undefined : await findGrants(transaction, grants);
				const steps = wanted === undefined ? [] : await compare(transaction, before.id, wanted);
				const isWider = pattern !== before.pattern || access_of_new !== before.access_of_new;
				if (
					isWider ||
					steps.some(({ role_before, role }) => role !== null && !includesRole(role_before ?? undefined, role))
				)
					assertRoom(capacity);
				const row = await updateRule(transaction, before, { pattern, access_of_new, description }, now());
				if (wanted !== undefined) await replaceRuleGrants(transaction, row.id, wanted);
				await noteRightsChange(transaction);
				const about = {
					action: "access.rule.update",
					outcome: "success",
					...{ principal, request },
					target: ruleTarget(row),
				} as const;
				const details = {
					...(row.pattern === before.pattern ? {} : { pattern_before: before.pattern, pattern: row.pattern }),
					...(row.access_of_new === before.access_of_new
						? {}
						: { access_of_new_before: before.access_of_new, access_of_new: row.access_of_new }),
					...(row.description === before.description
						? {}
						: { description_before: before.description, description: row.description }),
				};
				if (Object.keys(details).length > 0) await auth.audit.recordIn(transaction, { ...about, details });
				for (const { subject, role_before, role } of steps) {
					const details = { [subject.type]: subject.name, role_before, role };
					await auth.audit.recordIn(transaction, { ...about, details });
				}
				return row;
			});
			auth.rights.invalidate();
			setEtag(reply, updated);
			return { data: await toRule(updated) };
		},
	);

	app.delete(
		"/v1/access_rules/:rule_id",
		{
			config: { access: "admin", home: "none", whenAuthIsOff },
			schema: {
				operationId: "deleteAccessRule",
				tags,
				summary: "Delete a rule; what it gives ends at once",
				params,
				querystring: noQuery,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			await request.actor.change(async (transaction, principal) => {
				const rule = await getRule(transaction, request.params.rule_id);
				assertIfMatch(request, rule);
				const grants = await listRuleGrants(transaction, [rule.id]);
				await transaction.deleteFrom("access_rules").where("id", "=", rule.id).execute();
				await noteRightsChange(transaction);
				await auth.audit.recordIn(transaction, {
					action: "access.rule.delete",
					outcome: "success",
					...{ principal, request },
					target: ruleTarget(rule),
					details: { access_of_new: rule.access_of_new, grants: grants.length },
				});
			});
			auth.rights.invalidate();
			return reply.code(204).send(null);
		},
	);

	app.post(
		"/v1/access_rules/preview",
		{
			config: { access: "admin", home: "none", whenAuthIsOff, whenFull: "allowed" },
			schema: {
				operationId: "previewAccessRule",
				tags,
				summary: "Which projects a pattern fits",
				querystring: noQuery,
				body: PreviewBody,
				response: { 200: z.object({ data: RulePreview }) },
			},
		},
		async ({ body }) => {
			const fitting = await findFitting(db.read, body.pattern);
			const projects = fitting
				.slice(0, MAX_PREVIEW)
				.map(({ id, name }) => ({ id: encodeGlobalId("Project", id), name }));
			return { data: { project_count: fitting.length, projects } };
		},
	);

	async function toRule(row: RuleRow): Promise<z.output<typeof Rule>> {
		const [rule] = await toRules(db.read, [row]);
		if (rule === undefined) throw new Error("one rule makes one answer");
		return rule;
	}

	async function toRules(reader: Kysely<Tables>, rows: readonly RuleRow[]): Promise<z.output<typeof Rule>[]> {
		const grants = await listRuleGrants(
			reader,
			rows.map(({ id }) => id),
		);
		const names = await namesOf(reader, grants);
		const { rulesAt } = await auth.rights.stateIn(reader);
		const counts = new Map<number, number>();
		for (const { id } of [...rulesAt.values()].flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
		const byRule = Map.groupBy(grants, ({ rule_id }) => rule_id);
		return rows.map((row) => ({
			id: encodeGlobalId("AccessRule", row.id),
			pattern: row.pattern,
			access_of_new: row.access_of_new,
			grants: (byRule.get(row.id) ?? []).flatMap((grant) => {
				const subject = names.get(subjectKey(grant));
				return subject === undefined ? [] : [{ subject: toSubject(subject), role: grant.role }];
			}),
			description: row.description,
			project_count: counts.get(row.id) ?? 0,
			created_at: formatTime(row.created_at),
			updated_at: formatTime(row.updated_at),
		}));
	}
}

interface GrantStep {
	readonly subject: FoundSubject;
	readonly role_before: ProjectRole | null;
	readonly role: ProjectRole | null;
}

/** What becomes different when a rule gets other grants. */
async function compare(db: Kysely<Tables>, ruleId: number, wanted: readonly WantedGrant[]): Promise<GrantStep[]> {
	const stored = await listRuleGrants(db, [ruleId]);
	const names = await namesOf(db, stored);
	const before = new Map(stored.map((grant) => [subjectKey(grant), grant.role]));
	const after = new Map(wanted.map(({ subject, role }) => [keyOf(subject), role]));
	const subjects = new Map([...names, ...wanted.map(({ subject }) => [keyOf(subject), subject] as const)]);
	return [...subjects].flatMap(([key, subject]) => {
		const [role_before, role] = [before.get(key) ?? null, after.get(key) ?? null];
		return role_before === role ? [] : [{ subject, role_before, role }];
	});
}

async function namesOf(db: Kysely<Tables>, grants: readonly RuleGrantRow[]) {
	return await findNames(db, {
		userIds: grants.flatMap(({ user_id }) => user_id ?? []),
		teamIds: grants.flatMap(({ team_id }) => team_id ?? []),
	});
}

function subjectKey({ user_id, team_id }: RuleGrantRow): string {
	return user_id === null ? keyOf({ type: "team", id: team_id ?? 0 }) : keyOf({ type: "user", id: user_id });
}

function ruleTarget({ id, pattern }: RuleRow): AuditTarget {
	return { type: "access_rule", id, name: pattern };
}
