import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useState } from "react";
import { annotatingTexts as TEXTS } from "../texts/annotating-en.ts";
import { changesOf } from "./draft.ts";
import { type History, type Step, undoStep } from "./history.ts";
import { annotationsQuery, deleteAnnotation, writeAnnotations, writeNote, written } from "./queries.ts";
import { type Annotation, type AnnotationTarget, NOTE } from "./types.ts";
import { type AnnotationForm, ownByName } from "./use-annotation-form.ts";

export interface AnnotationWritesOptions {
	readonly project: string;
	readonly target: AnnotationTarget;
	readonly form: AnnotationForm;
	readonly history: RefObject<History>;
	/** Goes to the next target; false when this was the last. */
	readonly onNext: () => boolean;
	/** Shows the target of an undone step. */
	readonly onShow: (target: AnnotationTarget) => void;
	readonly onAnnotations: (target: AnnotationTarget, annotations: readonly Annotation[]) => void;
	readonly onChanged: ((target: AnnotationTarget) => void) | undefined;
}

export interface AnnotationWrites {
	/** Description of the last action; empty before the first. */
	readonly status: string;
	readonly isBusy: boolean;
	readonly error: Error | null;
	/** Saves the form and goes to the next target; nothing while the form has a problem. */
	readonly saveAndNext: () => void;
	readonly undoLast: () => void;
	readonly remove: (annotation: Annotation) => void;
	/** Records a change in the dialog; takes the annotation as it was before. */
	readonly noteEdited: (before: Annotation) => void;
}

/** Saves, deletes and undoes, and keeps the steps in the history. */
export function useAnnotationWrites(options: AnnotationWritesOptions): AnnotationWrites {
	const { project, target, form, history, onNext, onShow, onAnnotations, onChanged } = options;
	const queries = useQueryClient();
	const [status, setStatus] = useState("");
	const refresh = async (step: Step) => {
		const query = annotationsQuery(step.project, step.target);
		onChanged?.(step.target);
		onAnnotations(step.target, await queries.fetchQuery({ ...query, staleTime: 0 }));
	};
	const record = async (step: Step, text: string) => {
		history.current.push(step);
		setStatus(text);
		await refresh(step);
	};
	const stepOver = (before: Annotation): Step => ({
		project,
		target,
		text: before.name,
		created: [],
		before: [before],
	});
	const save = useMutation({
		mutationFn: async () => {
			const { configs, drafts, note, userId } = form;
			const now = await queries.ensureQueryData(annotationsQuery(project, target));
			const { written: changed, removed } = changesOf(configs, drafts, ownByName(now, userId));
			const list = changed.map(({ name, result }) => written(name, result, userId));
			const ids = list.length === 0 ? [] : await writeAnnotations(project, target, list);
			for (const { id } of removed) await deleteAnnotation(id);
			const noteText = note.trim();
			const noteId = noteText === "" ? [] : [await writeNote(project, target, noteText)];
			return { changed, removed, ids, noteId };
		},
		onSuccess: async ({ changed, removed, ids, noteId }) => {
			form.reset();
			const names = [...changed, ...removed].map(({ name }) => name).concat(noteId.length > 0 ? [NOTE] : []);
			if (names.length === 0) return setStatus(TEXTS.saved(0));
			const before = [...changed.map((each) => each.before), ...removed].filter((each) => each !== undefined);
			const created = [...ids.filter((_, index) => changed[index]?.before === undefined), ...noteId];
			await record({ project, target, text: names.join(", "), created, before }, TEXTS.saved(names.length));
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
			onShow(step.target);
		},
	});
	const remove = useMutation({
		mutationFn: async (annotation: Annotation) => {
			await deleteAnnotation(annotation.id);
			return annotation;
		},
		onSuccess: (annotation) => record(stepOver(annotation), TEXTS.deleted(annotation.name)),
	});
	const isBusy = save.isPending || undo.isPending;
	return {
		status,
		isBusy,
		error: save.error ?? undo.error ?? remove.error,
		saveAndNext: () => {
			if (isBusy || form.hasProblem) return;
			save.mutate(undefined, {
				onSuccess: () => {
					if (target.kind !== "session" && !onNext()) setStatus(TEXTS.last);
				},
			});
		},
		undoLast: () => {
			const step = history.current.at(-1);
			if (step === undefined) setStatus(TEXTS.nothingToUndo);
			else if (!isBusy) undo.mutate(step);
		},
		remove: (annotation) => remove.mutate(annotation),
		noteEdited: (before) => void record(stepOver(before), TEXTS.saved(1)),
	};
}
