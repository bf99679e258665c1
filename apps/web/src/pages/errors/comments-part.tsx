import type { ErrorComment, ErrorGroupDetail } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type Ref, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { useCan } from "../../lib/me.ts";
import { texts } from "../../texts/en.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { Field, TextArea } from "../../ui/input.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { GroupPart } from "./group-part.tsx";
import { commentPages } from "./queries.ts";

const MOST_CHARACTERS = 10_000;

interface CommentsProps {
	readonly group: ErrorGroupDetail;
	readonly mayWrite: boolean;
	readonly fieldRef: Ref<HTMLTextAreaElement>;
}

/** What people say about it. */
export function CommentsPart({ group, mayWrite, fieldRef }: CommentsProps): ReactNode {
	const query = useInfiniteQuery(commentPages(group.id));
	useAllPages(query, true);
	const refresh = useRefresh(group.id);
	const send = useMutation({
		mutationFn: (text: string) =>
			api.post("/v1/error_groups/{error_group_id}/comments", { path: { error_group_id: group.id }, body: { text } }),
		onSuccess: refresh,
	});
	return (
		<GroupPart title={TEXTS.comments}>
			<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
				{(comments) =>
					comments.length === 0 ? (
						<p className="text-muted">{TEXTS.noComments}</p>
					) : (
						<ul className="flex flex-col gap-3">
							{comments.map((comment) => (
								<li key={comment.id}>
									<Comment comment={comment} mayWrite={mayWrite} />
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
			{mayWrite && (
				<CommentForm
					key={send.submittedAt}
					text={send.isError ? send.variables : ""}
					action={TEXTS.sendComment}
					mutation={send}
					fieldRef={fieldRef}
				/>
			)}
		</GroupPart>
	);
}

function useRefresh(groupId: string): () => Promise<void> {
	const queries = useQueryClient();
	return () => queries.invalidateQueries({ queryKey: ["error-group", groupId, "comments"] });
}

function CommentForm({
	text: before,
	action,
	mutation,
	fieldRef,
	onCancel,
}: {
	text: string;
	action: string;
	mutation: { readonly mutate: (text: string) => void; readonly isPending: boolean; readonly error: Error | null };
	fieldRef?: Ref<HTMLTextAreaElement>;
	onCancel?: () => void;
}): ReactNode {
	const [text, setText] = useState(before);
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (text.trim() !== "") mutation.mutate(text);
	};
	return (
		<form onSubmit={submit} className="flex flex-col gap-2">
			<Field
				label={TEXTS.comment}
				hint={TEXTS.commentHint}
				error={mutation.error ? errorText(mutation.error).message : undefined}
			>
				<TextArea
					{...(fieldRef ? { ref: fieldRef } : {})}
					rows={3}
					maxLength={MOST_CHARACTERS}
					value={text}
					onChange={(event) => setText(event.target.value)}
					onKeyDown={(event) => {
						if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
					}}
				/>
			</Field>
			<div className="flex gap-2">
				<Button type="submit" disabled={mutation.isPending || text.trim() === ""}>
					{action}
				</Button>
				{onCancel && <Button onClick={onCancel}>{texts.action.cancel}</Button>}
			</div>
		</form>
	);
}

function Comment({ comment, mayWrite }: { comment: ErrorComment; mayWrite: boolean }): ReactNode {
	const can = useCan();
	const refresh = useRefresh(comment.error_group_id);
	const [doing, set] = useState<"edit" | "delete">();
	const path = { comment_id: comment.id };
	const edit = useMutation({
		mutationFn: (text: string) => api.patch("/v1/error_comments/{comment_id}", { path, body: { text } }),
		onSuccess: async () => {
			await refresh();
			set(undefined);
		},
	});
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/error_comments/{comment_id}", { path }),
		onSuccess: refresh,
	});
	const isEdited = comment.updated_at !== comment.created_at;
	return (
		<article className="flex min-w-0 flex-col gap-1">
			<p className="flex flex-wrap items-center gap-2 text-muted text-sm">
				<span className="font-medium text-ink">{comment.author?.username ?? TEXTS.somebody}</span>
				<RelativeTime time={comment.created_at} />
				{isEdited && <span>{TEXTS.edited}</span>}
				{mayWrite && comment.is_own && doing !== "edit" && (
					<Button look="quiet" onClick={() => set("edit")}>
						{TEXTS.editComment}
					</Button>
				)}
				{mayWrite && (comment.is_own || can("admin")) && (
					<Button look="quiet" onClick={() => set("delete")}>
						{TEXTS.deleteComment}
					</Button>
				)}
			</p>
			{doing === "edit" ? (
				<CommentForm text={comment.text} action={texts.action.save} mutation={edit} onCancel={() => set(undefined)} />
			) : (
				<TextContent text={comment.text} isMarkdown className="min-w-0 [overflow-wrap:anywhere]" />
			)}
			{doing === "delete" && (
				<ConfirmDialog
					title={TEXTS.deleteCommentTitle}
					action={TEXTS.deleteComment}
					mutation={remove}
					onClose={() => set(undefined)}
				>
					<p>{TEXTS.deleteCommentText}</p>
				</ConfirmDialog>
			)}
		</article>
	);
}
