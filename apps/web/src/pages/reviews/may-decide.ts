import type { ReviewQueue } from "@spanward/client";

/** Whether a user decides where reviewers differ. @param userId undefined while authentication is off */
export function mayDecide(queue: ReviewQueue, userId: string | undefined, isAdmin: boolean): boolean {
	return queue.archived_at === null && (isAdmin || (userId !== undefined && queue.adjudicators.includes(userId)));
}
