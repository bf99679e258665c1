import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { HomeField } from "../../homes/home-field.tsx";
import { useNewHome } from "../../homes/use-new-home.ts";
import { createPrompt, PROMPT_NAME, refreshPrompts } from "../../lib/prompts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Field, Input } from "../../ui/input.tsx";
import { isNameTaken } from "./queries.ts";
import { NEW_VERSION } from "./version-draft.ts";
import { VersionEditor } from "./version-editor.tsx";

const TEXTS = promptTexts.form;

/** Creates a prompt with its first version. */
export function PromptForm({ onLeave }: { onLeave: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const home = useNewHome();
	const [problem, setProblem] = useState<string | undefined>();
	const create = useMutation({
		mutationFn: async (version: Record<string, unknown>) => {
			if (await isNameTaken(name)) return false;
			await createPrompt(name, description, version, home.sent);
			return true;
		},
		onSuccess: async (isMade) => {
			if (!isMade) {
				setProblem(TEXTS.nameTaken);
				return;
			}
			await refreshPrompts(queries);
			await navigate({ to: "/prompts/$prompt", params: { prompt: name } });
		},
	});
	return (
		<VersionEditor
			title={TEXTS.newPrompt}
			action={TEXTS.create}
			start={NEW_VERSION}
			isPending={create.isPending || home.value === ""}
			error={create.error}
			onLeave={onLeave}
			onSubmit={(version) => {
				const bad = PROMPT_NAME.test(name) ? undefined : TEXTS.nameBad;
				setProblem(bad);
				if (bad === undefined && version !== undefined && home.value !== "") create.mutate(version);
			}}
		>
			{(problems) => (
				<div className="grid gap-3 sm:grid-cols-2">
					<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problem ?? problems["name"]}>
						<Input
							value={name}
							maxLength={1000}
							aria-invalid={problem !== undefined}
							onChange={(event) => {
								setName(event.target.value);
								setProblem(undefined);
							}}
						/>
					</Field>
					<Field label={TEXTS.promptDescription}>
						<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
					</Field>
					<HomeField home={home} />
				</div>
			)}
		</VersionEditor>
	);
}
