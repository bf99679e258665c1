import { setTimeout as sleep } from "node:timers/promises";
import { accessEnded } from "#access/auth/access-errors.ts";
import { actIn } from "#access/auth/act-as.ts";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { leasedJob, letOthersWrite, mayContinue } from "#storage/repeated-job.ts";
import { ConditionTooSlow } from "#storage/traces/condition-too-slow.ts";
import { principalOfRun } from "../bulk-runs/principal-of-run.ts";
import { listArrived, type Matching } from "./arrived.ts";
import { insertItems } from "./items.ts";
import { getOpenQueue } from "./queues.ts";
import { actsAsOf, advanceRule, dayOf, type FollowedRule, listArchivedRules, listFollowed } from "./rules.ts";
import { isSampled } from "./sampling.ts";

const EVERY_MS = 10_000;
/**
 * What has arrived is decided so much later. By then the other spans of a trace have come, and so has what had got a lower
 * row number in a transaction that was committed later.
 */
const SETTLE_MS = 60_000;
/** While spans are received, so many times as long as a piece of work took. */
const RESTS = 9;

/** Has the standing rules of review queues add what arrives, behind receiving. */
export function followReviewRules(context: WritingContext): AsyncDisposable {
	return leasedJob(context, "review rules", EVERY_MS, (stopped) => followRules(context, SETTLE_MS, stopped));
}

/**
 * Decides what has arrived long enough ago, for all rules. Goes on where it was when it is called again, also after a kill.
 * @param settleMs so many milliseconds after something was seen it is decided
 * @throws StorageUnavailable; what is decided by then stays so
 */
export async function followRules(context: WritingContext, settleMs: number, stopped: AbortSignal): Promise<void> {
	const { db } = context;
	for (const queueId of await listArchivedRules(db.read))
		await db.write((transaction) =>
			transaction
				.updateTable("review_rules")
				.set((row) => ({ decided_row: null, seen_row: null, seen_at: null, revision: row("revision", "+", 1) }))
				.where("queue_id", "=", queueId)
				.execute(),
		);
	for (const rule of await listFollowed(db.read)) await follow(context, rule, settleMs, stopped);
}

async function follow(
	context: WritingContext,
	rule: FollowedRule,
	settleMs: number,
	stopped: AbortSignal,
): Promise<void> {
	try {
		for (let current: FollowedRule | undefined = rule; current !== undefined && !stopped.aborted; ) {
			const began = performance.now();
			const next = await step(context, current, settleMs);
			current = next === undefined ? undefined : { ...next, target: rule.target };
			const workedMs = performance.now() - began;
			if (current === undefined) return;
			await (context.ingest.isBusy ? sleep(RESTS * workedMs) : letOthersWrite(workedMs));
		}
	} catch (error) {
		await switchOff(context, rule, error);
	}
}

/** @returns the rule as it is then; undefined when nothing is left to be done now */
async function step(context: WritingContext, rule: FollowedRule, settleMs: number) {
	const { db, now, traces } = context;
	const { decided_row: decided, seen_row: seen, seen_at: seenAt } = rule;
	if (decided === null || seen === null || seenAt === null || decided >= seen) {
		const arrived = (await traces.readArrivals())[rule.target];
		if (seen !== null && arrived <= seen) return undefined;
		const change = { decided_row: decided ?? arrived, seen_row: arrived, seen_at: now() };
		return await db.write((transaction) => advanceRule(transaction, rule, change));
	}
	if (now() - seenAt < settleMs * 1_000) return undefined;
	return await decide(context, rule, { after: decided, upTo: seen });
}

/** Adds what the rule takes of a part of what has arrived. */
async function decide(
	context: WritingContext,
	rule: FollowedRule,
	range: { readonly after: number; readonly upTo: number },
) {
	const { db, now, traces } = context;
	const { project_id: projectId, queue_id: queueId, target, filter, sample } = rule;
	const caller = { name: `rule of review queue ${queueId}`, isPatient: true };
	const matching: Matching = { projectId, target, filter, caller };
	const { items, upTo } = await listArrived(traces, matching, range);
	const rowIds = items.filter(({ id }) => isSampled(queueId, id, sample)).map(({ rowId }) => rowId);
	if (rowIds.length === 0)
		return await db.write((transaction) => advanceRule(transaction, rule, { decided_row: upTo }));
	const actor = await actorOf(context, rule);
	return await actor.change(async (transaction) => {
		const queue = await getOpenQueue(transaction, encodeGlobalId("ReviewQueue", queueId));
		const at = now();
		const [day, today] = [dayOf(at), rule.day === dayOf(at) ? rule.day_items : 0];
		const found = await traces.findEntities(target, rowIds, transaction);
		const left = rule.daily_limit === null ? found.length : Math.max(rule.daily_limit - today, 0);
		const entities = found.filter((entity) => entity.projectId === projectId).slice(0, left);
		const added = await insertItems(transaction, queue, entities, { priority: 0, now: at });
		const counts = { day, day_items: today + added, total_items: rule.total_items + added };
		const advanced = await advanceRule(transaction, rule, { decided_row: upTo, ...counts });
		// Undoes the transaction.
		if (advanced === undefined) throw new RuleChanged();
		return advanced;
	});
}

/** With the rights of now. @throws UserError when who set the rule may not do so any more */
async function actorOf(context: WritingContext, rule: FollowedRule): Promise<Actor> {
	const principal = await principalOfRun(context, { userId: rule.user_id, ...actsAsOf(rule) }, "set the rule");
	const actor = await actIn(context)(principal, "write", "annotator");
	await actor.assertStillAllowed();
	if (!enterSeen(actor, rule.project_id)) throw accessEnded();
	return actor;
}

/** The rule was changed, or another process has got further. */
class RuleChanged extends Error {
	override readonly name = "RuleChanged";
}

/** Says with the rule why it could not go on. @throws what may be over later */
async function switchOff({ db, log }: WritingContext, { queue_id }: FollowedRule, error: unknown): Promise<void> {
	if (mayContinue(error)) throw error;
	if (error instanceof RuleChanged) return;
	const isKnown = error instanceof UserError || error instanceof ConditionTooSlow;
	if (error instanceof UserError && ["review_queue_archived", "review_queue_not_found"].includes(error.code)) return;
	if (!isKnown) log.error({ err: error, queue: queue_id }, "the rule of a review queue failed");
	const reason = isKnown ? error.message : "It failed; the server's log says why.";
	await db.write((transaction) =>
		transaction
			.updateTable("review_rules")
			.set((row) => ({ enabled: 0 as const, error: reason, revision: row("revision", "+", 1) }))
			.where("queue_id", "=", queue_id)
			.execute(),
	);
}
