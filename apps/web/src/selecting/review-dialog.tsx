import type { ReactNode } from "react";
import { addToQueue } from "./queries.ts";
import { QueueDialog } from "./queue-dialog.tsx";
import type { ActionDialogProps } from "./use-start.ts";

/** Asks for the review queue that the selected rows are added to. */
export function ReviewDialog({ selected, onStarted, onClose }: ActionDialogProps): ReactNode {
	const add = (queueId: string, priority: number) => addToQueue(selected, queueId, priority);
	return <QueueDialog kind={selected.kind} add={add} onStarted={onStarted} onClose={onClose} />;
}
