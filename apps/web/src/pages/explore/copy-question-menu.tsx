import Check from "lucide-react/icons/check";
import ClipboardCopy from "lucide-react/icons/clipboard-copy";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import type { Uncopied } from "../../copying/copy-menu.tsx";
import { loadPart } from "../../lib/load-part.ts";
import { ownServer } from "../../lib/snippet-server.ts";
import { analyticsTexts } from "../../texts/analytics-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { copyText } from "../../ui/copy-button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Menu, MenuItem, MenuLabel } from "../../ui/menu.tsx";
import { type Question, questionParameters, questionPath } from "./question.ts";

const TEXTS = analyticsTexts.explore;
const FORMS = ["link", "curl", "command", "python", "typescript"] as const;
type Form = (typeof FORMS)[number];
const SHOWN_MS = 2_000;

const UncopiedDialog = lazyPart(() => import("../../copying/uncopied-dialog.tsx"), "UncopiedDialog", { isOver: true });

/** Copies the question as a link to this page, or as code that asks it. */
export function CopyQuestionMenu({ question }: { question: Question }): ReactNode {
	const [done, setDone] = useState<Form>();
	const [uncopied, setUncopied] = useState<Uncopied>();
	useEffect(() => {
		if (done === undefined) return;
		const timer = setTimeout(() => setDone(undefined), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [done]);
	const copy = (form: Form) => {
		const text = textOf(form, question);
		copyText(text).then(
			() => setDone(form),
			// Which of the two failed tells the promise of the text.
			() =>
				text.then(
					(made) => setUncopied({ text: made }),
					(error: unknown) => setUncopied({ error: error instanceof Error ? error : new Error(String(error)) }),
				),
		);
	};
	return (
		<>
			<Menu
				align="end"
				trigger={
					<IconButton label={TEXTS.copy}>
						{done === undefined ? (
							<ClipboardCopy size={14} aria-hidden />
						) : (
							<Check size={14} aria-hidden className="text-ok" />
						)}
					</IconButton>
				}
			>
				<MenuLabel>{TEXTS.copyAs}</MenuLabel>
				{FORMS.map((form) => (
					<MenuItem key={form} onClick={() => copy(form)}>
						{TEXTS.form[form]}
					</MenuItem>
				))}
			</Menu>
			<span role="status" className="sr-only">
				{done !== undefined && TEXTS.copied(TEXTS.form[done])}
			</span>
			<Suspense>{uncopied && <UncopiedDialog uncopied={uncopied} onClose={() => setUncopied(undefined)} />}</Suspense>
		</>
	);
}

async function textOf(form: Form, question: Question): Promise<string> {
	if (form === "link") return location.href;
	const { codeOf } = await loadPart(() => import("../../copying/code.ts"));
	const asked = { path: questionPath(question), query: questionParameters(question), command: undefined };
	return codeOf(form, asked, ownServer());
}
