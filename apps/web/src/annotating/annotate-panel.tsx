import X from "lucide-react/icons/x";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { useMayIn } from "../lib/project-role.ts";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { FormError } from "../ui/form-error.tsx";
import { Key } from "../ui/keys.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { AnnotationFields } from "./annotation-fields.tsx";
import { AnnotationList } from "./annotation-list.tsx";
import type { History } from "./history.ts";
import type { Annotation, AnnotationTarget, TargetKind } from "./types.ts";
import { useAnnotateKeys } from "./use-annotate-keys.ts";
import { useAnnotationForm } from "./use-annotation-form.ts";
import { type AnnotationWrites, useAnnotationWrites } from "./use-annotation-writes.ts";

export interface AnnotatePanelProps {
	readonly project: string;
	readonly target: AnnotationTarget;
	/** The kinds of targets that can be switched to, including the current one. */
	readonly kinds: readonly TargetKind[];
	readonly onKind: (kind: TargetKind) => void;
	/** Goes to the next span, trace or session; false when this was the last. */
	readonly onNext: () => boolean;
	readonly onClose: () => void;
	readonly history: RefObject<History>;
	/** Shows the target of an undone step. */
	readonly onShow: (target: AnnotationTarget) => void;
	/** Called with the target's current annotations. */
	readonly onAnnotations: (target: AnnotationTarget, annotations: readonly Annotation[]) => void;
	/** Called when annotations of the target were written or deleted. */
	readonly onChanged?: (target: AnnotationTarget) => void;
	/** Each new object moves the focus there. */
	readonly focus: { readonly on: "form" | "note" };
}

/** A panel for annotating one target after the other by keyboard. */
export function AnnotatePanel(props: AnnotatePanelProps): ReactNode {
	const { project, target, history, focus, onNext, onShow, onAnnotations, onChanged, onClose } = props;
	const panel = useRef<HTMLElement>(null);
	const mayAnnotate = useMayIn(project)("annotator");
	const form = useAnnotationForm(project, target);
	const writes = useAnnotationWrites({ project, target, form, history, onNext, onShow, onAnnotations, onChanged });
	const [active, setActive] = useAnnotateKeys({ panel, form, writes, onClose, focus });
	const { data, error, refetch } = form.annotationsQuery;
	const tell = useEffectEvent(() => {
		if (data) onAnnotations(target, data);
	});
	useEffect(() => {
		if (data) tell();
	}, [data]);
	return (
		<section
			ref={panel}
			tabIndex={-1}
			aria-label={TEXTS.panel(TEXTS.what[target.kind], target.name)}
			className="flex max-h-[62%] min-h-0 shrink-0 flex-col border-line-strong border-t bg-surface outline-none in-data-stacked:sticky in-data-stacked:bottom-0 in-data-stacked:z-10 in-data-stacked:max-h-[60dvh]"
		>
			<Header {...props} />
			<div className="flex min-h-0 flex-1 flex-col overflow-y-auto py-1">
				{form.error && <ErrorState error={form.error} onRetry={form.retry} />}
				{!form.isReady && !form.error && <SkeletonRows rows={3} />}
				{form.isReady && mayAnnotate && <AnnotationFields form={form} active={active} onActivate={setActive} />}
				{form.isReady && !mayAnnotate && <p className="px-3 py-2 text-muted">{TEXTS.notYours}</p>}
				<AnnotationList
					annotations={form.annotations}
					mayAnnotate={mayAnnotate}
					error={error}
					onRetry={() => void refetch()}
					onDelete={writes.remove}
					onEdited={writes.noteEdited}
				/>
			</div>
			<FormError error={writes.error} />
			{mayAnnotate && <Actions target={target} writes={writes} canSave={!writes.isBusy && !form.hasProblem} />}
		</section>
	);
}

function Header({ target, kinds, onKind, onClose }: AnnotatePanelProps): ReactNode {
	return (
		<div className="flex h-10 shrink-0 items-center gap-2 border-line border-b pr-2 pl-3">
			<h3 className="shrink-0 font-semibold">{TEXTS.annotate}</h3>
			{kinds.length > 1 && (
				<SegmentedControl
					label={TEXTS.target}
					value={target.kind}
					onChange={onKind}
					choices={kinds.map((kind) => ({ value: kind, label: TEXTS.targets[kind] }))}
				/>
			)}
			<span className="min-w-0 flex-1 truncate text-muted" title={target.name}>
				{target.name}
			</span>
			<IconButton label={TEXTS.close} shortcut="Esc" onClick={onClose}>
				<X size={15} aria-hidden />
			</IconButton>
		</div>
	);
}

function Actions(props: {
	readonly target: AnnotationTarget;
	readonly writes: AnnotationWrites;
	readonly canSave: boolean;
}): ReactNode {
	const { target, writes, canSave } = props;
	return (
		<div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-line border-t px-3 py-1">
			<Button look="primary" disabled={!canSave} onClick={writes.saveAndNext}>
				{TEXTS.saveNext[target.kind]}
				<span aria-hidden>⏎</span>
			</Button>
			<Button disabled={writes.isBusy} onClick={writes.undoLast}>
				{TEXTS.undo}
				<Key name="U" />
			</Button>
			<span role="status" className="min-w-0 truncate text-muted">
				{writes.status || <span className="pointer-coarse:hidden">{TEXTS.hint}</span>}
			</span>
		</div>
	);
}
