import { type ReactNode, useEffect, useId, useState } from "react";
import { PermissionBoxes } from "../../limits/permission-boxes.tsx";
import type { ChosenHomes } from "../../limits/permissions.ts";
import { limitsTexts } from "../../texts/limits-en.ts";
import { programsTexts as TEXTS } from "../../texts/programs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Field } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { FormAlert } from "../form-alert.tsx";
import type { Refusal } from "../requests.ts";
import type { AskedAccess, Decision, ProgramPermission } from "./asked-access.ts";
import { ProgramHomes } from "./program-homes.tsx";

const DAYS = [1, 7, 30, 90, 365];
const NOWHERE: ChosenHomes = { projects: [], library: false };
/** Longer than a double click takes. */
const SEEN_MS = 700;

interface Problems {
	readonly permissions?: string;
	readonly homes?: string;
}

/**
 * What the program may do, where and for how long, and the two answers. Enter sends nothing: an answer is given by its
 * button.
 */
export function AccessForm({
	asked,
	onDecide,
}: {
	asked: AskedAccess;
	/** @returns why the server refused it */
	onDecide: (decision: Decision) => Promise<Refusal | undefined>;
}): ReactNode {
	const alert = useId();
	const [permissions, setPermissions] = useState(asked.suggested);
	const [where, setWhere] = useState<"everywhere" | "chosen">("everywhere");
	const [homes, setHomes] = useState(NOWHERE);
	const [days, setDays] = useState(String(asked.max_days));
	const [problems, setProblems] = useState<Problems>({});
	const [refusal, setRefusal] = useState<Refusal>();
	const [isSending, setSending] = useState(false);
	const canDecide = useSeenAWhile() && !isSending;
	const decide = async (decision: Decision) => {
		setSending(true);
		setRefusal(await onDecide(decision));
		setSending(false);
	};
	const allow = () => {
		const found = findProblems(permissions, where === "everywhere" ? undefined : homes);
		setProblems(found);
		setRefusal(undefined);
		if (Object.keys(found).length > 0) return;
		void decide({
			approved: true,
			permissions,
			...(where === "everywhere"
				? {}
				: { projects: homes.projects.map(({ id }) => id), include_library: homes.library }),
			days: Number(days),
		});
	};
	return (
		<form onSubmit={(event) => event.preventDefault()} className="flex flex-col gap-4">
			<div className="flex flex-col gap-1">
				<PermissionBoxes
					label={TEXTS.may}
					chosen={permissions}
					choices={asked.available}
					problem={problems.permissions}
					onChange={setPermissions}
				/>
				<p className="text-muted text-sm">
					{asked.requested === null ? TEXTS.askedForNothing : TEXTS.askedFor(asked.requested.join(", "))}{" "}
					{asked.user.role === "VIEWER" ? TEXTS.readerHint : TEXTS.never}
					{asked.resource.kind === "mcp" && ` ${TEXTS.onlyMcp}`}
				</p>
			</div>
			<fieldset className="flex flex-col gap-1">
				<legend className="mb-1 text-muted text-sm">{TEXTS.where}</legend>
				{(["everywhere", "chosen"] as const).map((value) => (
					<label key={value} className="flex items-center gap-2 pointer-coarse:min-h-11">
						<input type="radio" name="where" checked={where === value} onChange={() => setWhere(value)} />
						{value === "everywhere" ? TEXTS.everywhere : TEXTS.chosenOnly}
					</label>
				))}
			</fieldset>
			{where === "chosen" && <ProgramHomes chosen={homes} problem={problems.homes} onChange={setHomes} />}
			<Field label={TEXTS.days} hint={TEXTS.daysHint}>
				<Select
					value={days}
					onChange={setDays}
					choices={[...DAYS.filter((each) => each < asked.max_days), asked.max_days].map((count) => ({
						value: String(count),
						label: TEXTS.daysChoice(count),
					}))}
				/>
			</Field>
			<FormAlert id={alert} refusal={refusal} />
			<p className="font-semibold">{TEXTS.onlyYou}</p>
			<div className="grid grid-cols-2 gap-2">
				<button
					type="button"
					aria-disabled={!canDecide}
					aria-describedby={alert}
					onClick={() => canDecide && void decide({ approved: false })}
					className={buttonClass("plain", "h-9")}
				>
					{TEXTS.deny}
				</button>
				<button
					type="button"
					aria-disabled={!canDecide}
					aria-describedby={alert}
					onClick={() => canDecide && allow()}
					className={buttonClass("primary", "h-9")}
				>
					{TEXTS.allow}
				</button>
			</div>
		</form>
	);
}

/** @param homes undefined for everywhere */
function findProblems(permissions: readonly ProgramPermission[], homes: ChosenHomes | undefined): Problems {
	return {
		...(permissions.length === 0 ? { permissions: limitsTexts.permissionMissing } : {}),
		...(homes?.projects.length === 0 && !homes.library ? { homes: TEXTS.homesMissing } : {}),
		...(homes !== undefined && permissions.includes("admin") ? { permissions: TEXTS.adminEverywhere } : {}),
	};
}

/**
 * False until the page has been in front for a moment: a page from elsewhere that asks for a double click, and opens this
 * one at the first, would have the second press our button.
 */
function useSeenAWhile(): boolean {
	const [isSeen, setSeen] = useState(false);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const look = () => {
			clearTimeout(timer);
			setSeen(false);
			if (document.visibilityState === "visible") timer = setTimeout(() => setSeen(true), SEEN_MS);
		};
		look();
		window.addEventListener("focus", look);
		document.addEventListener("visibilitychange", look);
		return () => {
			clearTimeout(timer);
			window.removeEventListener("focus", look);
			document.removeEventListener("visibilitychange", look);
		};
	}, []);
	return isSeen;
}
