import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Tag from "lucide-react/icons/tag";
import X from "lucide-react/icons/x";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { useMayChange } from "../../homes/use-may-change.ts";
import { fieldErrors } from "../../lib/field-errors.ts";
import { PROMPT_NAME, refreshPrompts, setTag } from "../../lib/prompts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { type NumberedVersion, versionByTag } from "./numbered.ts";
import { promptQuery, removeTag } from "./queries.ts";

const route = getRouteApi("/prompts/$prompt");
const TEXTS = promptTexts.tag;

/** The name of a tag. */
export function TagChip({ name }: { name: string }): ReactNode {
	return (
		<Chip tone="accent">
			<Tag size={11} aria-hidden className="shrink-0" />
			<span className="truncate">{name}</span>
		</Chip>
	);
}

/** The tags of a version, with actions to set, move and remove them. */
export function VersionTags({
	version,
	versions,
}: {
	version: NumberedVersion;
	versions: readonly NumberedVersion[];
}): ReactNode {
	const { prompt } = route.useParams();
	const mayChange = useMayChange(useQuery(promptQuery(prompt)).data);
	const [adding, setAdding] = useState(false);
	const [removing, setRemoving] = useState<string | undefined>();
	return (
		<span className="flex flex-wrap items-center gap-1.5">
			{version.tags.map((name) => (
				<span key={name} className="inline-flex items-center">
					<TagChip name={name} />
					{mayChange && (
						<button
							type="button"
							aria-label={TEXTS.remove(name)}
							title={TEXTS.remove(name)}
							onClick={() => setRemoving(name)}
							className="ml-0.5 flex size-5 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
						>
							<X size={12} aria-hidden />
						</button>
					)}
				</span>
			))}
			{mayChange && (
				<Button look="quiet" className="text-muted" onClick={() => setAdding(true)}>
					<Tag size={13} aria-hidden />
					{TEXTS.add}
				</Button>
			)}
			{adding && <TagDialog version={version} versions={versions} onClose={() => setAdding(false)} />}
			{removing !== undefined && (
				<RemoveTagDialog version={version} name={removing} onClose={() => setRemoving(undefined)} />
			)}
		</span>
	);
}

/** Sets a tag; one on another version is moved, after a confirmation. */
function TagDialog({
	version,
	versions,
	onClose,
}: {
	version: NumberedVersion;
	versions: readonly NumberedVersion[];
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const places = versionByTag(versions);
	const [typed, setTyped] = useState("");
	const [description, setDescription] = useState("");
	const [problem, setProblem] = useState<string | undefined>();
	const [asked, setAsked] = useState(false);
	const set = useMutation({
		mutationFn: () => setTag(version.id, typed.trim(), description.trim()),
		onSuccess: async () => {
			await refreshPrompts(queries);
			onClose();
		},
	});
	const answer = fieldErrors(set.error, { name: [], description: [] });
	const name = typed.trim();
	const place = places.get(name);
	const target = promptTexts.version(version.number);
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		const found = nameProblem(name, place, version);
		setProblem(found);
		if (found !== undefined) return;
		if (place !== undefined && !asked) setAsked(true);
		else set.mutate();
	};
	if (asked && place !== undefined) {
		return (
			<ConfirmDialog title={TEXTS.moveTitle(name, target)} action={TEXTS.move} mutation={set} onClose={onClose}>
				<p>{TEXTS.moves(name, promptTexts.version(place.number), target)}</p>
			</ConfirmDialog>
		);
	}
	const others = [...places].filter(([, at]) => at.id !== version.id);
	return (
		<FormDialog
			title={TEXTS.add}
			action={place && place.id !== version.id ? TEXTS.move : TEXTS.set}
			isPending={set.isPending}
			error={answer.rest}
			onSubmit={submit}
			onClose={onClose}
		>
			<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problem ?? answer.at.name}>
				<Input
					value={typed}
					maxLength={1000}
					aria-invalid={problem !== undefined}
					onChange={(event) => {
						setTyped(event.target.value);
						setProblem(undefined);
					}}
				/>
			</Field>
			{others.length > 0 && (
				<div className="flex flex-wrap gap-1.5">
					{others.map(([tag, at]) => (
						<button
							key={tag}
							type="button"
							title={TEXTS.moveHere(tag, target)}
							onClick={() => setTyped(tag)}
							className="inline-flex items-center gap-1 rounded text-muted text-sm hover:text-ink"
						>
							<TagChip name={tag} />
							{promptTexts.versionShort(at.number)}
						</button>
					))}
				</div>
			)}
			<Field label={TEXTS.description} error={answer.at.description}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
		</FormDialog>
	);
}

function nameProblem(name: string, place: NumberedVersion | undefined, version: NumberedVersion): string | undefined {
	if (name === "") return TEXTS.nameMissing;
	if (!PROMPT_NAME.test(name)) return promptTexts.form.nameBad;
	return place?.id === version.id ? TEXTS.already(name) : undefined;
}

function RemoveTagDialog({
	version,
	name,
	onClose,
}: {
	version: NumberedVersion;
	name: string;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => removeTag(version.id, name),
		onSuccess: async () => {
			await refreshPrompts(queries);
			onClose();
		},
	});
	return (
		<ConfirmDialog title={TEXTS.removeTitle(name)} action={TEXTS.removeButton} mutation={remove} onClose={onClose}>
			<p>{TEXTS.removeText(name)}</p>
		</ConfirmDialog>
	);
}
