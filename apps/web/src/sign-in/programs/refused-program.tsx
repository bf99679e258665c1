import type { ReactNode } from "react";
import { config } from "../../lib/config.ts";
import { programsTexts } from "../../texts/programs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import type { Refusal } from "../requests.ts";
import { SignInLayout } from "../sign-in-layout.tsx";
import { endsRequest, inWords } from "./refusal-words.ts";

const TEXTS = programsTexts.refused;

/** Why a program gets no access, whatever the user decides; or that the server could not be asked. */
export function RefusedProgram({ refusal }: { refusal: Refusal }): ReactNode {
	const hasEnded = endsRequest(refusal);
	return (
		<SignInLayout title={hasEnded ? TEXTS.title : TEXTS.failed} hasFocus>
			<p>{inWords(refusal).text}</p>
			{hasEnded ? (
				<details className="text-muted text-sm [overflow-wrap:anywhere]">
					<summary className="cursor-pointer">{TEXTS.details}</summary>
					{refusal.text} ({refusal.code})
				</details>
			) : (
				<button type="button" onClick={() => location.reload()} className={buttonClass("primary", "h-9")}>
					{TEXTS.retry}
				</button>
			)}
			<a href={`${config.basePath}/`} className="self-start text-accent hover:underline">
				{TEXTS.start}
			</a>
		</SignInLayout>
	);
}
