import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { createVersion, refreshPrompts } from "../../lib/prompts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Field, Input } from "../../ui/input.tsx";
import type { NumberedVersion } from "./numbered.ts";
import { draftOf, NEW_VERSION } from "./version-draft.ts";
import { VersionEditor } from "./version-editor.tsx";

const TEXTS = promptTexts.form;

/** Creates a version, starting with the content of another one. */
export function VersionForm({
	prompt,
	from,
	onLeave,
}: {
	prompt: string;
	from: NumberedVersion | undefined;
	onLeave: (made: string | undefined) => void;
}): ReactNode {
	const queries = useQueryClient();
	const [tags, setTags] = useState("");
	const create = useMutation({
		mutationFn: (version: Record<string, unknown>) => {
			const names = tags.split(",").map((tag) => tag.trim());
			return createVersion(
				prompt,
				version,
				names.filter((tag) => tag !== ""),
			);
		},
		onSuccess: async ({ id }) => {
			await refreshPrompts(queries);
			onLeave(id);
		},
	});
	return (
		<VersionEditor
			title={TEXTS.newVersion(prompt)}
			action={TEXTS.save}
			start={from ? draftOf(from) : NEW_VERSION}
			isPending={create.isPending}
			error={create.error}
			onLeave={() => onLeave(undefined)}
			onSubmit={(version) => {
				if (version !== undefined) create.mutate(version);
			}}
		>
			{() => (
				<Field label={TEXTS.tagNewest} hint={TEXTS.tagNewestHint}>
					<Input value={tags} maxLength={10_000} onChange={(event) => setTags(event.target.value)} />
				</Field>
			)}
		</VersionEditor>
	);
}
