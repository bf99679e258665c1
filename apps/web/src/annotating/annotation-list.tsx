import { Link } from "@tanstack/react-router";
import Pencil from "lucide-react/icons/pencil";
import Trash from "lucide-react/icons/trash-2";
import { type ReactNode, useState } from "react";
import { formatCost } from "../lib/format.ts";
import { useCan, useMe } from "../lib/me.ts";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { IconButton } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { AnnotationValue } from "./annotation-value.tsx";
import { EditAnnotationDialog } from "./edit-annotation-dialog.tsx";
import { originOf } from "./evaluator-origin.ts";
import { type Annotation, NOTE } from "./types.ts";

/** The annotations of a target: content, author, time and source. */
export function AnnotationList({
	annotations,
	mayAnnotate,
	error,
	onRetry,
	onDelete,
	onEdited,
}: {
	annotations: readonly Annotation[];
	/** Whether the user may change own annotations of the target. */
	mayAnnotate: boolean;
	error: Error | null;
	onRetry: () => void;
	onDelete: (annotation: Annotation) => void;
	/** Called with the annotation as it was before the change. */
	onEdited: (before: Annotation) => void;
}): ReactNode {
	const [editing, setEditing] = useState<Annotation | undefined>();
	return (
		<section aria-label={TEXTS.existing} className="flex flex-col gap-0.5 px-3 pt-2 pb-1">
			<h4 className="text-muted text-sm">{TEXTS.existing}</h4>
			{error && annotations.length === 0 && <ErrorState error={error} onRetry={onRetry} />}
			{!error && annotations.length === 0 && <p className="text-muted">{TEXTS.none}</p>}
			<ul className="flex flex-col">
				{annotations
					.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at))
					.map((annotation) => (
						<Item
							key={annotation.id}
							annotation={annotation}
							mayAnnotate={mayAnnotate}
							onDelete={() => onDelete(annotation)}
							onEdit={() => setEditing(annotation)}
						/>
					))}
			</ul>
			{editing && (
				<EditAnnotationDialog
					annotation={editing}
					onSaved={() => onEdited(editing)}
					onClose={() => setEditing(undefined)}
				/>
			)}
		</section>
	);
}

function Item({
	annotation,
	mayAnnotate,
	onDelete,
	onEdit,
}: {
	annotation: Annotation;
	mayAnnotate: boolean;
	onDelete: () => void;
	onEdit: () => void;
}): ReactNode {
	const me = useMe();
	const can = useCan();
	const { name, result, user_id: user } = annotation;
	const isOwn = user === (me?.id ?? null);
	return (
		<li className="group/annotation flex min-w-0 items-start gap-2 border-line border-b py-1.5 last:border-b-0">
			<div className="flex min-w-0 flex-1 flex-col gap-0.5">
				<span className="flex min-w-0 flex-wrap items-center gap-x-2">
					<span className="font-medium">{name === NOTE ? TEXTS.note : name}</span>
					<AnnotationValue result={result} />
					<span className="text-muted text-sm">
						{[TEXTS.kind[annotation.annotator_kind], whose(user, me?.id), TEXTS.source[annotation.source]].join(" · ")}
						{" · "}
						{annotation.updated_at !== annotation.created_at && `${TEXTS.edited} `}
						<RelativeTime time={annotation.updated_at} />
					</span>
				</span>
				<OfEvaluator annotation={annotation} />
				{result?.explanation && (
					<p className="line-clamp-4 whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{result.explanation}</p>
				)}
			</div>
			{mayAnnotate && (isOwn || can("admin")) && (
				<span className="flex shrink-0">
					<IconButton label={TEXTS.edit(name)} onClick={onEdit} className="size-6">
						<Pencil size={13} aria-hidden />
					</IconButton>
					<IconButton label={TEXTS.delete(name)} onClick={onDelete} className="size-6">
						<Trash size={13} aria-hidden />
					</IconButton>
				</span>
			)}
		</li>
	);
}

/** What the evaluator that wrote it cost, and where its own trace is. */
function OfEvaluator({ annotation: { metadata } }: { annotation: Annotation }): ReactNode {
	const origin = originOf(metadata);
	if (origin === undefined) return null;
	const { model, cost, traceId } = origin;
	const facts = [model, cost === undefined ? undefined : formatCost(cost)].filter((fact) => fact !== undefined);
	return (
		<span className="flex flex-wrap gap-x-2 text-muted text-sm empty:hidden">
			{facts.join(" · ")}
			{traceId !== undefined && (
				<Link to="/redirects/$kind/$id" params={{ kind: "traces", id: traceId }} className="text-accent underline">
					{TEXTS.evaluatorTrace}
				</Link>
			)}
		</span>
	);
}

function whose(user: string | null, me: string | undefined): string {
	if (user === null) return TEXTS.nobody;
	return user === me ? TEXTS.you : TEXTS.someone;
}
