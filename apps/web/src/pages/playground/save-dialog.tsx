import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
	createPrompt,
	createVersion,
	namedPromptsQuery,
	PROMPT_NAME,
	refreshPrompts,
	setTag,
	versionPages,
} from "../../lib/prompts.ts";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Field, Input } from "../../ui/input.tsx";
import type { VariantDraft } from "./playground-draft.ts";
import { versionOf } from "./version-of.ts";

/** Saves a column as a version of a prompt, new or existing. */
export function SaveDialog({
	variant,
	kind,
	onClose,
}: {
	variant: VariantDraft;
	/** Of the column's connection. */
	kind: string | undefined;
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [name, setName] = useState("");
	const [tags, setTags] = useState("");
	const [description, setDescription] = useState("");
	const { data: named = [] } = useQuery({ ...namedPromptsQuery(name), enabled: name !== "" });
	const isExisting = named.some((prompt) => prompt.name === name);
	const save = useMutation({
		mutationFn: async () => {
			const version = versionOf(variant, kind, description);
			const names = tags.split(",").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]));
			if (isExisting) {
				await createVersion(name, version, names);
				return;
			}
			await createPrompt(name, "", version, {});
			const made = await queries.fetchInfiniteQuery(versionPages(name));
			const id = made.pages[0]?.data[0]?.id;
			for (const tag of names) if (id !== undefined) await setTag(id, tag, "");
		},
		onSuccess: () => refreshPrompts(queries),
	});
	const hasImages = variant.messages.some(({ images }) => images.length > 0);
	if (save.isSuccess)
		return (
			<Dialog open onOpenChange={onClose} title={texts.saveTitle}>
				<p className="flex flex-wrap gap-3 p-4">
					{texts.saved(name)}
					<Link to="/prompts/$prompt" params={{ prompt: name }} className="text-accent hover:underline">
						{texts.showSaved}
					</Link>
				</p>
			</Dialog>
		);
	const isBad = name !== "" && !PROMPT_NAME.test(name);
	return (
		<FormDialog
			title={texts.saveTitle}
			action={texts.saveTitle}
			isPending={save.isPending}
			error={save.error}
			onClose={onClose}
			onSubmit={(event) => {
				event.preventDefault();
				if (PROMPT_NAME.test(name)) save.mutate();
			}}
		>
			<Field
				label={texts.saveName}
				error={isBad ? promptTexts.form.nameHint : undefined}
				hint={name === "" ? texts.saveNameHint : isExisting ? texts.saveExisting(name) : texts.saveNew(name)}
			>
				<Input
					required
					value={name}
					maxLength={1000}
					list="prompts-to-save-to"
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<datalist id="prompts-to-save-to">
				{named.map((prompt) => (
					<option key={prompt.id} value={prompt.name} />
				))}
			</datalist>
			<Field label={texts.saveTags}>
				<Input value={tags} maxLength={10_000} onChange={(event) => setTags(event.target.value)} />
			</Field>
			<Field label={texts.saveDescription}>
				<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			{hasImages && <p className="text-muted text-sm">{texts.saveImages}</p>}
		</FormDialog>
	);
}
