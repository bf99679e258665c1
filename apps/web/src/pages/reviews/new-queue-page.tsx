import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { useCan, useMe } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueueBar } from "./queue-bar.tsx";
import { NEW_QUEUE, type QueueDraft, toNewBody } from "./queue-draft.ts";
import { QueueForm } from "./queue-form.tsx";

/** Where a review queue is made. */
export function NewQueuePage(): ReactNode {
	usePageTitle(TEXTS.create);
	const can = useCan();
	const me = useMe();
	const queries = useQueryClient();
	const navigate = useNavigate();
	const create = useMutation({
		mutationFn: async (draft: QueueDraft) => (await api.post("/v1/review_queues", { body: toNewBody(draft) })).data,
		onSuccess: async (queue) => {
			queries.setQueryData(queueQuery(queue.id).queryKey, queue);
			await queries.invalidateQueries({ queryKey: ["review-queues"] });
			await navigate({ to: "/reviews/$queue/items", params: { queue: queue.id } });
		},
	});
	return (
		<>
			<QueueBar queue={undefined} page={TEXTS.create} />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<div className="mx-auto flex max-w-3xl flex-col gap-4 p-4">
					<h1 className="font-semibold text-xl">{TEXTS.create}</h1>
					{can("write") ? (
						<QueueForm
							first={{ ...NEW_QUEUE, adjudicators: me ? [{ id: me.id, username: me.username }] : [] }}
							action={TEXTS.createAction}
							mutation={create}
							onCancel={() => void navigate({ to: "/reviews" })}
						/>
					) : (
						<EmptyState title={TEXTS.noneViewer} />
					)}
				</div>
			</main>
		</>
	);
}
