import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "../lib/me.ts";
import { type Draft, draftOf, draftProblem, identifierOf, isSame, orderConfigs } from "./draft.ts";
import { annotationsQuery, configsQuery, projectConfigsQuery } from "./queries.ts";
import type { Annotation, AnnotationConfig, AnnotationTarget } from "./types.ts";

const NO_DRAFTS: ReadonlyMap<string, Draft> = new Map();
const NONE: readonly Annotation[] = [];

export interface AnnotationForm {
	/** Differs for each target. */
	readonly key: string;
	readonly isReady: boolean;
	/** Why the configs could not be loaded. */
	readonly error: Error | null;
	readonly retry: () => void;
	/** Those assigned to the project, then the others. */
	readonly configs: readonly AnnotationConfig[];
	readonly assignedCount: number;
	/** All annotations of the target, by anybody. */
	readonly annotations: readonly Annotation[];
	readonly annotationsQuery: UseQueryResult<readonly Annotation[]>;
	/** Id of the current user; undefined without authentication. */
	readonly userId: string | undefined;
	/** Unsaved values by the name of their config. */
	readonly drafts: ReadonlyMap<string, Draft>;
	readonly note: string;
	readonly hasProblem: boolean;
	readonly draftOf: (config: AnnotationConfig) => Draft;
	readonly isChanged: (config: AnnotationConfig) => boolean;
	readonly change: (config: AnnotationConfig, draft: Draft) => void;
	readonly setNote: (note: string) => void;
	/** Discards unsaved values. */
	readonly reset: () => void;
}

/** The values of the form for a target: this person's annotations, with unsaved changes. */
export function useAnnotationForm(project: string, target: AnnotationTarget): AnnotationForm {
	const key = `${target.kind} ${target.id}`;
	const me = useMe();
	const [unsaved, setUnsaved] = useState({ key, drafts: NO_DRAFTS, note: "" });
	const all = useQuery(configsQuery);
	const ofProject = useQuery(projectConfigsQuery(project));
	const existing = useQuery(annotationsQuery(project, target));
	const { assigned, others } = orderConfigs(all.data ?? [], ofProject.data ?? []);
	const configs = [...assigned, ...others];
	const annotations = existing.data ?? NONE;
	const own = ownByName(annotations, me?.id);
	// Values entered for another target do not apply to this one.
	const { drafts, note } = unsaved.key === key ? unsaved : { drafts: NO_DRAFTS, note: "" };
	const savedDraft = (config: AnnotationConfig) => draftOf(own.get(config.name));
	const currentDraft = (config: AnnotationConfig) => drafts.get(config.name) ?? savedDraft(config);
	return {
		key,
		isReady: all.data !== undefined && !ofProject.isPending,
		error: all.data ? null : all.error,
		retry: () => void all.refetch(),
		configs,
		assignedCount: assigned.length,
		annotations,
		annotationsQuery: existing,
		userId: me?.id,
		drafts,
		note,
		hasProblem: configs.some((config) => draftProblem(config, currentDraft(config)) !== undefined),
		draftOf: currentDraft,
		isChanged: (config) => drafts.has(config.name) && !isSame(config, currentDraft(config), savedDraft(config)),
		change: (config, draft) => setUnsaved({ key, note, drafts: new Map(drafts).set(config.name, draft) }),
		setNote: (text) => setUnsaved({ key, drafts, note: text }),
		reset: () => setUnsaved({ key, drafts: NO_DRAFTS, note: "" }),
	};
}

/** The annotations of a person that the form writes, by name. */
export function ownByName(
	annotations: readonly Annotation[],
	userId: string | undefined,
): ReadonlyMap<string, Annotation> {
	const identifier = identifierOf(userId);
	return new Map(annotations.filter((each) => (each.identifier ?? "") === identifier).map((each) => [each.name, each]));
}
