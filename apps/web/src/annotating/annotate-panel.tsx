import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useCan, useMe } from "../lib/me.ts";
import { useShortcuts } from "../lib/shortcuts.tsx";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ErrorState } from "../ui/error-state.tsx";
import { FormError } from "../ui/form-error.tsx";
import { Key } from "../ui/keys.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { AnnotationList } from "./annotation-list.tsx";
import { ConfigDialog } from "./config-dialog.tsx";
import { ConfigRow, DIGITS, TextField } from "./config-row.tsx";
import { changesOf, type Draft, draftOf, draftProblem, identifierOf, isSame, orderConfigs } from "./draft.ts";
import { type History, type Step, undoStep } from "./history.ts";
import {
	annotationsQuery,
	configsQuery,
	deleteAnnotation,
	projectConfigsQuery,
	writeAnnotations,
	writeNote,
	written,
} from "./queries.ts";
import { type Annotation, type AnnotationConfig, type AnnotationTarget, NOTE, type TargetKind } from "./types.ts";

export interface AnnotatePanelProps {
	readonly project: string;
	readonly target: AnnotationTarget;
	/** What can be switched to, the current kind among them. */
	readonly kinds: readonly TargetKind[];
	readonly onKind: (kind: TargetKind) => void;
	/** Goes to the next span, trace or session; false when this was the last. */
	readonly onNext: () => boolean;
	readonly onClose: () => void;
	readonly history: RefObject<History>;
	/** Shows what an undone step was about. */
	readonly onShow: (target: AnnotationTarget) => void;
	/** What is known now about the target's annotations. */
	readonly onAnnotations: (target: AnnotationTarget, annotations: readonly Annotation[]) => void;
	/** Something about the target was written or deleted. */
	readonly onChanged?: (target: AnnotationTarget) => void;
	/** A new object puts the focus there. */
	readonly focus: { readonly on: "form" | "note" };
}

const NO_DRAFTS: ReadonlyMap<string, Draft> = new Map();
const NONE: readonly Annotation[] = [];

/** Annotates one thing after the other, by keyboard. */
export function AnnotatePanel(props: AnnotatePanelProps): ReactNode {
	const { project, target, history, focus } = props;
	const key = `${target.kind} ${target.id}`;
	const panel = useRef<HTMLElement>(null);
	const me = useMe();
	const can = useCan();
	const queries = useQueryClient();
	const [active, setActive] = useState(0);
	const [held, setHeld] = useState({ key, drafts: NO_DRAFTS, note: "" });
	const [status, setStatus] = useState("");
	const [creating, setCreating] = useState(false);

	const all = useQuery(configsQuery);
	const ofProject = useQuery(projectConfigsQuery(project));
	const existing = useQuery(annotationsQuery(project, target));
	const { assigned, others } = orderConfigs(all.data ?? [], ofProject.data ?? []);
	const configs = [...assigned, ...others];
	const identifier = identifierOf(me?.id);
	const annotations = existing.data ?? NONE;
	const own = ownByName(annotations, identifier);
	const drafts = held.key === key ? held.drafts : NO_DRAFTS;
	const note = held.key === key ? held.note : "";
	const draftFor = (config: AnnotationConfig) => drafts.get(config.name) ?? draftOf(own.get(config.name));
	const change = (config: AnnotationConfig, draft: Draft) =>
		setHeld({ key, note, drafts: new Map(drafts).set(config.name, draft) });

	const tell = useEffectEvent(() => {
		if (existing.data) props.onAnnotations(target, existing.data);
	});
	useEffect(() => {
		if (existing.data) tell();
	}, [existing.data]);

	const refresh = async (step: Step) => {
		const query = annotationsQuery(step.project, step.target);
		props.onChanged?.(step.target);
		props.onAnnotations(step.target, await queries.fetchQuery({ ...query, staleTime: 0 }));
	};
	const done = async (step: Step, text: string) => {
		history.current.push(step);
		setStatus(text);
		await refresh(step);
	};
	const save = useMutation({
		mutationFn: async () => {
			const now = await queries.ensureQueryData(annotationsQuery(project, target));
			const { written: changed, removed } = changesOf(configs, drafts, ownByName(now, identifier));
			const ids =
				changed.length === 0
					? []
					: await writeAnnotations(
							project,
							target,
							changed.map(({ name, result }) => written(name, result, me?.id)),
						);
			for (const { id } of removed) await deleteAnnotation(id);
			const noteText = note.trim();
			const noteId = noteText === "" ? [] : [await writeNote(project, target, noteText)];
			return { changed, removed, ids, noteId };
		},
		onSuccess: async ({ changed, removed, ids, noteId }) => {
			setHeld({ key, drafts: NO_DRAFTS, note: "" });
			const names = [...changed, ...removed].map(({ name }) => name).concat(noteId.length > 0 ? [NOTE] : []);
			if (names.length === 0) return setStatus(TEXTS.saved(0));
			const before = [...changed.map((each) => each.before), ...removed].filter((each) => each !== undefined);
			const created = [...ids.filter((_, index) => changed[index]?.before === undefined), ...noteId];
			await done({ project, target, text: names.join(", "), created, before }, TEXTS.saved(names.length));
		},
	});
	const undo = useMutation({
		mutationFn: async (step: Step) => {
			await undoStep(step);
			return step;
		},
		onSuccess: async (step) => {
			history.current.splice(history.current.lastIndexOf(step), 1);
			setStatus(TEXTS.undone(step.text));
			await refresh(step);
			props.onShow(step.target);
		},
	});
	const remove = useMutation({
		mutationFn: async (annotation: Annotation) => {
			await deleteAnnotation(annotation.id);
			return annotation;
		},
		onSuccess: (annotation) =>
			done(
				{ project, target, text: annotation.name, created: [], before: [annotation] },
				TEXTS.deleted(annotation.name),
			),
	});
	const isBusy = save.isPending || undo.isPending;
	const undoLast = () => {
		const step = history.current.at(-1);
		if (step === undefined) setStatus(TEXTS.nothingToUndo);
		else if (!isBusy) undo.mutate(step);
	};
	const hasProblem = configs.some((config) => draftProblem(config, draftFor(config)) !== undefined);
	const saveAndGo = () => {
		if (isBusy || hasProblem) return;
		save.mutate(undefined, {
			onSuccess: () => {
				if (target.kind !== "session" && !props.onNext()) setStatus(TEXTS.last);
			},
		});
	};
	const choose = (digit: number): boolean => {
		const config = configs[active];
		if (config?.type !== "CATEGORICAL") return false;
		const value = config.values[digit - 1];
		if (value === undefined) return true;
		const draft = draftFor(config);
		change(config, { ...draft, label: draft.label === value.label ? "" : value.label });
		return true;
	};

	const isReady = all.data !== undefined && !ofProject.isPending;
	const focusForm = () => (firstControl(panel.current, 0) ?? panel.current)?.focus({ preventScroll: true });
	const focusOn = useEffectEvent(() => {
		const note = focus.on === "note" ? panel.current?.querySelector<HTMLElement>("[data-note]") : undefined;
		if (!note) return focusForm();
		note.focus({ preventScroll: true });
		note.scrollIntoView({ block: "nearest" });
	});
	useEffect(() => focusOn(), [focus, isReady]);
	const begin = useEffectEvent(() => {
		setActive(0);
		// What had the focus may have gone with the target before.
		const isLost = document.activeElement === document.body;
		if (isLost || panel.current?.contains(document.activeElement)) focusForm();
	});
	useEffect(() => begin(), [key]);

	useShortcuts({
		title: TEXTS.shortcuts.title,
		within: panel,
		shortcuts: [
			{
				keys: Array.from({ length: DIGITS }, (_, index) => String(index + 1)),
				label: TEXTS.shortcuts.label,
				run: (event) => choose(Number(event.key)),
			},
			{
				keys: ["Enter"],
				label: TEXTS.shortcuts.save,
				inFields: true,
				run: (event) => {
					const element = event.target instanceof Element ? event.target : undefined;
					if (element?.closest("button:not([data-choice]), a, select")) return false;
					saveAndGo();
					return true;
				},
			},
			{
				keys: ["ArrowDown", "ArrowUp"],
				label: TEXTS.shortcuts.move,
				run: (event) => {
					const next = active + (event.key === "ArrowDown" ? 1 : -1);
					firstControl(panel.current, next)?.focus();
					return true;
				},
			},
			{ keys: ["Escape"], label: TEXTS.shortcuts.close, inFields: true, run: props.onClose },
		],
	});
	useShortcuts({
		title: TEXTS.shortcuts.title,
		shortcuts: [{ keys: ["u"], label: TEXTS.shortcuts.undo, run: undoLast }],
	});

	const row = (config: AnnotationConfig, index: number) => (
		<ConfigRow
			key={config.id}
			config={config}
			draft={draftFor(config)}
			problem={draftProblem(config, draftFor(config))}
			isActive={index === active}
			isChanged={drafts.has(config.name) && !isSame(config, draftFor(config), draftOf(own.get(config.name)))}
			onActivate={() => setActive(index)}
			onChange={(draft) => change(config, draft)}
		/>
	);
	return (
		<section
			ref={panel}
			tabIndex={-1}
			aria-label={TEXTS.panel(TEXTS.what[target.kind], target.name)}
			className="flex max-h-[62%] min-h-0 shrink-0 flex-col border-line-strong border-t bg-surface outline-none"
		>
			<div className="flex h-10 shrink-0 items-center gap-2 border-line border-b pr-2 pl-3">
				<h3 className="shrink-0 font-semibold">{TEXTS.annotate}</h3>
				{props.kinds.length > 1 && (
					<SegmentedControl
						label={TEXTS.target}
						value={target.kind}
						onChange={props.onKind}
						choices={props.kinds.map((kind) => ({ value: kind, label: TEXTS.targets[kind] }))}
					/>
				)}
				<span className="min-w-0 flex-1 truncate text-muted" title={target.name}>
					{target.name}
				</span>
				<IconButton label={TEXTS.close} shortcut="Esc" onClick={props.onClose}>
					<X size={15} aria-hidden />
				</IconButton>
			</div>
			<div className="flex min-h-0 flex-1 flex-col overflow-y-auto py-1">
				{all.error && !all.data && <ErrorState error={all.error} onRetry={() => void all.refetch()} />}
				{!isReady && !all.error && <SkeletonRows rows={3} />}
				{isReady && can("write") && (
					<>
						{configs.length === 0 && (
							<div className="px-3 py-2">
								<p className="font-medium">{TEXTS.noConfigs}</p>
								<p className="text-muted">{TEXTS.noConfigsText}</p>
							</div>
						)}
						{assigned.map((config, index) => row(config, index))}
						{assigned.length > 0 && others.length > 0 && (
							<p className="px-3 pt-2 text-muted text-sm">{TEXTS.otherConfigs}</p>
						)}
						{others.map((config, index) => row(config, assigned.length + index))}
						<div className="grid max-w-4xl grid-cols-[8.5rem_minmax(0,1fr)] items-start gap-x-3 py-1 pr-3 pl-3 max-sm:grid-cols-1">
							<span className="flex h-7 items-center gap-1.5 font-medium">
								{TEXTS.note}
								<Key name="N" />
							</span>
							<TextField
								data-note
								label={TEXTS.noteLabel}
								placeholder={TEXTS.notePlaceholder}
								value={note}
								onChange={(text) => setHeld({ key, drafts, note: text })}
							/>
						</div>
						<Button look="quiet" className="ml-1.5 self-start text-muted" onClick={() => setCreating(true)}>
							<Plus size={14} aria-hidden />
							{TEXTS.newConfig}
						</Button>
					</>
				)}
				{isReady && !can("write") && <p className="px-3 py-2 text-muted">{TEXTS.notYours}</p>}
				<AnnotationList
					annotations={annotations}
					error={existing.error}
					onRetry={() => void existing.refetch()}
					onDelete={(annotation) => remove.mutate(annotation)}
					onEdited={(before) =>
						void done({ project, target, text: before.name, created: [], before: [before] }, TEXTS.saved(1))
					}
				/>
			</div>
			<FormError error={save.error ?? undo.error ?? remove.error} />
			{can("write") && (
				<div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-line border-t px-3 py-1">
					<Button look="primary" disabled={isBusy || hasProblem} onClick={saveAndGo}>
						{TEXTS.saveNext[target.kind]}
						<span aria-hidden>⏎</span>
					</Button>
					<Button disabled={isBusy} onClick={undoLast}>
						{TEXTS.undo}
						<Key name="U" />
					</Button>
					<span role="status" className="min-w-0 truncate text-muted">
						{status || TEXTS.hint}
					</span>
				</div>
			)}
			{creating && <ConfigDialog onClose={() => setCreating(false)} />}
		</section>
	);
}

/** The annotations of this person that the form writes. */
function ownByName(annotations: readonly Annotation[], identifier: string): ReadonlyMap<string, Annotation> {
	return new Map(annotations.filter((each) => (each.identifier ?? "") === identifier).map((each) => [each.name, each]));
}

/** What is focused first in a row; undefined when there is no such row. */
function firstControl(panel: HTMLElement | null, row: number): HTMLElement | undefined {
	const rows = panel?.querySelectorAll("[data-config]");
	return rows?.[row]?.querySelector<HTMLElement>('[aria-pressed="true"], button, input, textarea') ?? undefined;
}
