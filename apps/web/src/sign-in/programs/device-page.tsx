import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { config } from "../../lib/config.ts";
import { foreignName } from "../../lib/foreign-name.ts";
import { programsTexts } from "../../texts/programs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Field, Input } from "../../ui/input.tsx";
import { FormAlert } from "../form-alert.tsx";
import type { Refusal } from "../requests.ts";
import { SignInLayout } from "../sign-in-layout.tsx";
import { AccessForm } from "./access-form.tsx";
import { ask, type Decision, type DeviceRequest } from "./asked-access.ts";
import { inWords } from "./refusal-words.ts";
import { RefusedProgram } from "./refused-program.tsx";
import { programName, timeAgo, WhoAsks } from "./who-asks.tsx";

const TEXTS = programsTexts.device;
const LETTERS = 8;

/** Connects a program that has no browser: its code is typed here, then the user decides on a page of its own. */
export function DevicePage(): ReactNode {
	// A link fills it in, and does no more.
	const [code, setCode] = useState(() => new URLSearchParams(location.search).get("user_code") ?? "");
	const [asked, setAsked] = useState<DeviceRequest>();
	const [decided, setDecided] = useState<boolean>();
	const [failure, setFailure] = useState<Refusal>();
	const [isLoggedIn, setLoggedIn] = useState(false);
	useEffect(() => {
		// Who is not logged in goes to the log-in page before typing a code.
		void ask("GET", "/v1/user").then((answer) =>
			"refusal" in answer ? setFailure(answer.refusal) : setLoggedIn(true),
		);
	}, []);
	useEffect(() => {
		const back = () => {
			setAsked(undefined);
			setDecided(undefined);
		};
		window.addEventListener("popstate", back);
		return () => window.removeEventListener("popstate", back);
	}, []);
	if (failure !== undefined) return <RefusedProgram refusal={failure} />;
	if (!isLoggedIn) return <p className="sr-only">{programsTexts.loading}</p>;
	if (asked === undefined) {
		return (
			<CodePage
				code={code}
				onType={setCode}
				onFound={(found) => {
					// So that Back leads to the code again.
					history.pushState(null, "");
					setAsked(found);
				}}
			/>
		);
	}
	if (decided !== undefined) return <DonePage program={programName(asked)} isAllowed={decided} />;
	const decide = async (decision: Decision) => {
		const body = { user_code: asked.user_code, ...decision };
		const answer = await ask<undefined>("POST", "/oauth2/device/decision", body);
		if ("refusal" in answer) return inWords(answer.refusal);
		setDecided(decision.approved);
		return;
	};
	return (
		<SignInLayout title={programsTexts.title} hasFocus isWide>
			<WhoAsks
				asked={asked}
				facts={[
					[TEXTS.code, <code key="code">{asked.user_code}</code>],
					[programsTexts.asked, timeAgo(asked.asked_at)],
					[programsTexts.askedFrom, <Sender key="from" asked={asked} />],
				]}
			/>
			<AccessForm asked={asked} onDecide={decide} />
			<AnotherCode />
		</SignInLayout>
	);
}

function Sender({ asked: { ip, user_agent } }: { asked: DeviceRequest }): ReactNode {
	const agent = foreignName(user_agent ?? "");
	return (
		<>
			{ip}
			{agent !== undefined && <span className="block text-muted text-sm">{programsTexts.withAgent(agent)}</span>}
		</>
	);
}

function CodePage({
	code,
	onType,
	onFound,
}: {
	code: string;
	onType: (code: string) => void;
	onFound: (found: DeviceRequest) => void;
}): ReactNode {
	const alert = useId();
	const field = useRef<HTMLInputElement>(null);
	const [refusal, setRefusal] = useState<Refusal | string>();
	const [isBusy, setBusy] = useState(false);
	useEffect(() => field.current?.focus(), []);
	const submit = async (event: SyntheticEvent) => {
		event.preventDefault();
		if (isBusy) return;
		if (code.replace(/[^a-z]/gi, "").length !== LETTERS) {
			setRefusal(TEXTS.missing);
			return field.current?.focus();
		}
		setBusy(true);
		setRefusal(undefined);
		const answer = await ask<DeviceRequest>("POST", "/oauth2/device/request", { user_code: code });
		setBusy(false);
		if ("data" in answer) return onFound(answer.data);
		setRefusal(inWords(answer.refusal));
		field.current?.focus();
	};
	return (
		<SignInLayout title={TEXTS.title}>
			<p className="text-muted">{TEXTS.text}</p>
			<form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
				<FormAlert id={alert} refusal={refusal} />
				<Field label={TEXTS.code} hint={TEXTS.hint}>
					<Input
						ref={field}
						name="user_code"
						value={code}
						maxLength={40}
						autoCapitalize="characters"
						autoCorrect="off"
						required
						aria-describedby={alert}
						aria-invalid={refusal !== undefined}
						onChange={(event) => onType(event.target.value)}
						className="h-11 text-center font-mono text-lg uppercase tracking-widest"
					/>
				</Field>
				<button type="submit" aria-disabled={isBusy} className={buttonClass("primary", "h-9")}>
					{isBusy ? TEXTS.busy : TEXTS.submit}
				</button>
			</form>
		</SignInLayout>
	);
}

function DonePage({ program, isAllowed }: { program: string; isAllowed: boolean }): ReactNode {
	return (
		<SignInLayout title={isAllowed ? TEXTS.allowedTitle : TEXTS.deniedTitle} hasFocus>
			<p>{isAllowed ? TEXTS.allowed(program) : TEXTS.denied(program)}</p>
			<AnotherCode />
		</SignInLayout>
	);
}

/** Leaves nothing of the code that was in the address. */
function AnotherCode(): ReactNode {
	return (
		<a href={`${config.basePath}/device`} className="self-start text-accent hover:underline">
			{TEXTS.another}
		</a>
	);
}
