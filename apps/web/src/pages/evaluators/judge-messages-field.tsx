import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import type { ReactNode } from "react";
import type { TemplateFormat } from "../../lib/template-parts.ts";
import { evaluatorTexts as TEXTS } from "../../texts/evaluators-en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { HighlightedArea } from "../../ui/highlighting/highlighted-area.tsx";
import { Select } from "../../ui/select.tsx";
import type { JudgeMessage } from "./split-version.ts";

const ROLES = (["system", "user", "assistant"] as const).map((value) => ({ value, label: promptTexts.roles[value] }));

/** The messages of a judge, with the places of its inputs coloured. */
export function JudgeMessagesField({
	messages,
	format,
	onChange,
}: {
	messages: readonly JudgeMessage[];
	/** Of the places of inputs. */
	format: TemplateFormat;
	onChange: (messages: readonly JudgeMessage[]) => void;
}): ReactNode {
	const edit = (index: number, part: Partial<JudgeMessage>) =>
		onChange(messages.map((message, at) => (at === index ? { ...message, ...part } : message)));
	return (
		<fieldset className="flex flex-col gap-2">
			<legend className="mb-1 text-muted text-sm">{TEXTS.messages}</legend>
			{messages.map(({ role, content }, index) => (
				<div key={index} className="rounded-md border border-line-strong">
					<div className="flex h-9 items-center gap-1 border-line border-b bg-sunken pr-1 pl-2 pointer-coarse:h-12">
						<Select
							label={TEXTS.role(index + 1)}
							value={role}
							onChange={(next) => edit(index, { role: next })}
							choices={choicesWith(role)}
						/>
						<IconButton
							label={TEXTS.removeMessage(index + 1)}
							disabled={messages.length === 1}
							className="ml-auto"
							onClick={() => onChange(messages.toSpliced(index, 1))}
						>
							<Trash size={14} aria-hidden />
						</IconButton>
					</div>
					<HighlightedArea
						required
						aria-label={TEXTS.message(index + 1)}
						language={format}
						value={content}
						className="max-h-[60vh] min-h-14"
						onChange={(event) => edit(index, { content: event.target.value })}
					/>
				</div>
			))}
			<Button
				look="quiet"
				className="self-start text-muted"
				onClick={() => onChange([...messages, { role: "user", content: "" }])}
			>
				<Plus size={14} aria-hidden />
				{TEXTS.addMessage}
			</Button>
		</fieldset>
	);
}

function choicesWith(role: string) {
	return ROLES.some(({ value }) => value === role)
		? (ROLES as { value: string; label: string }[])
		: [...ROLES, { value: role, label: role }];
}
