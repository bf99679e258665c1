import type { ReactNode } from "react";
import { QueueDialog } from "../../selecting/queue-dialog.tsx";
import { addRunsToQueue, type ReviewedRuns } from "./run-queries.ts";

export interface ReviewRunsDialogProps {
	readonly what: ReviewedRuns;
	/** They were added. */
	readonly onAdded: () => void;
	readonly onClose: () => void;
}

/** Asks for the review queue that runs are added to. */
export function ReviewRunsDialog({ what, onAdded, onClose }: ReviewRunsDialogProps): ReactNode {
	const add = (queueId: string, priority: number) => addRunsToQueue(what, queueId, priority);
	return <QueueDialog kind="experiment_run" add={add} onStarted={onAdded} onClose={onClose} />;
}
