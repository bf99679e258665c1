import { type ReactNode, useEffect, useState } from "react";
import { programsTexts as TEXTS } from "../../texts/programs-en.ts";
import type { Refusal } from "../requests.ts";
import { SignInLayout } from "../sign-in-layout.tsx";
import { AccessForm } from "./access-form.tsx";
import { ask, type ConsentRequest, type Decision } from "./asked-access.ts";
import { takeQuery } from "./kept-query.ts";
import { endsRequest, inWords } from "./refusal-words.ts";
import { RefusedProgram } from "./refused-program.tsx";
import { WhoAsks } from "./who-asks.tsx";

/** What of the address is sent with the decision; nothing else that somebody writes into it may decide. */
const QUESTION = [
	"client_id",
	"redirect_uri",
	"response_type",
	"code_challenge",
	"code_challenge_method",
	"state",
	"scope",
	"resource",
];

/** Asks whether a program may act for the user, and as what; then the browser goes back to the program. */
export function ConsentPage(): ReactNode {
	const [query] = useState(takeQuery);
	const [asked, setAsked] = useState<ConsentRequest>();
	const [refusal, setRefusal] = useState<Refusal>();
	const [redirect, setRedirect] = useState<string>();
	useEffect(() => {
		void ask<ConsentRequest>("GET", `/oauth2/authorize/request${query}`).then((answer) =>
			"refusal" in answer ? setRefusal(answer.refusal) : setAsked(answer.data),
		);
	}, [query]);
	const decide = async (decision: Decision) => {
		const question = [...new URLSearchParams(query)].filter(([name]) => QUESTION.includes(name));
		const body = { ...Object.fromEntries(question), ...decision };
		const answer = await ask<{ redirect_to: string }>("POST", "/oauth2/authorize/decision", body);
		if ("refusal" in answer) {
			// Something has ended meanwhile that no other choice brings back.
			if (endsRequest(answer.refusal)) setRefusal(answer.refusal);
			return inWords(answer.refusal);
		}
		setRedirect(answer.data.redirect_to);
		location.assign(answer.data.redirect_to);
		return;
	};
	if (refusal !== undefined) return <RefusedProgram refusal={refusal} />;
	if (asked === undefined) return <p className="sr-only">{TEXTS.loading}</p>;
	const place = TEXTS.place[asked.redirect.kind](asked.redirect.host);
	if (redirect !== undefined) {
		return (
			<SignInLayout title={TEXTS.left.title} hasFocus>
				<p role="status">{TEXTS.left.text(place)}</p>
				<a href={redirect} className="self-start text-accent hover:underline">
					{TEXTS.left.again}
				</a>
			</SignInLayout>
		);
	}
	return (
		<SignInLayout title={TEXTS.title} hasFocus isWide>
			<WhoAsks asked={asked} facts={[[TEXTS.leads, place]]} />
			<AccessForm asked={asked} onDecide={decide} />
		</SignInLayout>
	);
}
