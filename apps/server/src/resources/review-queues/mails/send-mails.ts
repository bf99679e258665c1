import { mayCall } from "#access/auth/may-call.ts";
import { findUser } from "#access/auth/principals/find-principals.ts";
import type { DeliveryFailure } from "#access/mail/delivery-errors.ts";
import type { WritingContext } from "#context.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { PrincipalUser } from "#http/principal.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { countUndecided, projectsOnlyRead } from "../open-items.ts";
import { adjudicatorsOf, type QueueRow, reviewersOf } from "../queues.ts";
import { type Asking, listLeft } from "../reserve.ts";
import { claimMail, type MailRow, noteNothing, noteTold, noteUnsent } from "./mail-rows.ts";
import type { AddedAs } from "./note-added.ts";
import { type Addressed, isDue, isReviewing, listToBeMailed } from "./to-be-mailed.ts";

const EVERY_MS = 60_000;
/** Items that are counted for a mail, at most. */
const MOST_COUNTED = 100;

type MailContext = Pick<WritingContext, "auth" | "cluster" | "db" | "log" | "now">;

/** Mails people whom a review queue names now, and those for whom items wait in one that is due. Nothing while mail is off. */
export function sendReviewMails(context: MailContext): AsyncDisposable {
	if (!context.auth.enabled || !context.auth.userMails.canSendLinks) return new AsyncDisposableStack();
	return leasedJob(context, "review mails", EVERY_MS, (stopped) => sendReviewMailsOnce(context, stopped));
}

/**
 * One round. Each person gets one mail about a queue a day at most, whichever process sends it: the day is noted before the
 * mail goes, and taken back when the mail server did not take it.
 */
export async function sendReviewMailsOnce(context: MailContext, stopped: AbortSignal): Promise<void> {
	for (const addressed of await listToBeMailed(context.db.read, context.now())) {
		if (stopped.aborted) return;
		const failure = await mail(context, addressed);
		// Others would wait for the same.
		if (failure !== undefined && failure.answer === undefined) return;
	}
}

/** What a mail says. */
interface Notice {
	readonly queue: QueueRow;
	readonly user: PrincipalUser;
	/** As what the person was added, if they are to be told. */
	readonly addedAs: AddedAs | null;
	/** Whether items wait for them in a queue that is due. */
	readonly isDue: boolean;
	readonly open: Open;
}

interface Open {
	/** Items that wait for an answer, and for a decision. */
	readonly reviews: number;
	readonly decisions: number;
}

async function mail(context: MailContext, addressed: Addressed): Promise<DeliveryFailure | undefined> {
	const { auth, db, log, now } = context;
	const row = await findMail(context, addressed);
	const notice = await noticeOf(context, addressed, row);
	if (notice === undefined) {
		await db.write((transaction) => noteNothing(transaction, addressed, row, now()));
		return undefined;
	}
	const claimed = await db.write((transaction) => claimMail(transaction, addressed, row, now()));
	if (claimed === undefined) return undefined;
	const { queue, open } = notice;
	const failure = await auth.userMails.reviewQueue(notice.user, {
		...{ queueId: encodeGlobalId("ReviewQueue", queue.id), queueName: queue.name, addedAs: notice.addedAs },
		...{ isDue: notice.isDue, dueAt: queue.due_at === null ? null : new Date(queue.due_at / 1_000) },
		...{ reviews: open.reviews, decisions: open.decisions, mostCounted: MOST_COUNTED },
	});
	const dueFor = notice.isDue ? queue.due_at : claimed.due_for;
	if (failure === undefined) {
		await db.write((transaction) => noteTold(transaction, claimed, dueFor));
		return undefined;
	}
	const { again } = await db.write((transaction) =>
		noteUnsent(transaction, claimed, { failure, mailedOn: row?.mailed_on ?? null, dueFor, now: now() }),
	);
	const about = { queue: queue.id, user: notice.user.id, tries: claimed.tries + 1, ...failure };
	if (again) log.warn(about, "a mail about a review queue could not be sent yet; it will be tried again");
	else log.error(about, "a mail about a review queue could not be sent");
	return failure;
}

async function findMail({ db }: MailContext, { queueId, userId }: Addressed): Promise<MailRow | undefined> {
	return await db.read
		.selectFrom("review_mails")
		.selectAll()
		.where("queue_id", "=", queueId)
		.where("user_id", "=", userId)
		.executeTakeFirst();
}

/** What there is to say to somebody; undefined for nothing, as to who may not review in the queue any more. */
async function noticeOf(
	{ auth, db, now }: MailContext,
	{ queueId, userId }: Addressed,
	row: MailRow | undefined,
): Promise<Notice | undefined> {
	const queue = await db.read.selectFrom("review_queues").selectAll().where("id", "=", queueId).executeTakeFirst();
	const user = await findUser(db.read, userId);
	if (queue === undefined || queue.archived_at !== null || user === undefined) return undefined;
	const principal = { kind: "run", user } as const;
	if (!mayCall(principal, "write")) return undefined;
	const addedAs = stillNamed(queue, userId, row?.added_as ?? null);
	const wantsDue = isDue(queue, now()) && row?.due_for !== queue.due_at;
	if (addedAs === null && !wantsDue) return undefined;
	const open = await countFor(db.read, queue, { userId, rights: await auth.rights.of(principal), now: now() });
	const due = wantsDue && open.reviews + open.decisions > 0;
	return addedAs === null && !due ? undefined : { queue, user, addedAs, isDue: due, open };
}

/** What somebody was added as, as far as it still holds. */
function stillNamed(queue: QueueRow, userId: number, addedAs: AddedAs | null): AddedAs | null {
	const reviews = addedAs !== null && addedAs !== "adjudicator" && (reviewersOf(queue) ?? []).includes(userId);
	const decides = addedAs !== null && addedAs !== "reviewer" && adjudicatorsOf(queue).includes(userId);
	if (reviews) return decides ? "both" : "reviewer";
	return decides ? "adjudicator" : null;
}

async function countFor(
	db: MailContext["db"]["read"],
	queue: QueueRow,
	{ userId, ...of }: { readonly userId: number } & Pick<Asking, "rights" | "now">,
): Promise<Open> {
	const asking = { ...of, reviewer: userId, readOnly: await projectsOnlyRead(db, of.rights) };
	const reviews = await isReviewing(db, queue, userId);
	return {
		reviews: reviews ? (await listLeft(db, queue, asking, MOST_COUNTED)).length : 0,
		decisions: adjudicatorsOf(queue).includes(userId) ? await countUndecided(db, queue, asking, MOST_COUNTED) : 0,
	};
}
