import { type ReactNode, useId } from "react";
import { signInTexts } from "../texts/sign-in-en.ts";
import { LOG_IN_WAYS, type LogInWay } from "./log-in-ways.ts";

const TEXTS = signInTexts.logIn;

/** Which account the form is for. Radio buttons in truth, so that the arrow keys go from one to the other. */
export function WaySwitch({ way, onChange }: { way: LogInWay; onChange: (way: LogInWay) => void }): ReactNode {
	const name = useId();
	return (
		<fieldset>
			<legend className="sr-only">{TEXTS.ways}</legend>
			<div className="flex rounded border border-line-strong p-0.5">
				{LOG_IN_WAYS.map((each) => (
					<label
						key={each}
						className="flex h-7 flex-1 cursor-pointer items-center justify-center whitespace-nowrap rounded-[3px] px-2 text-muted hover:text-ink has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
					>
						<input
							type="radio"
							name={name}
							value={each}
							checked={each === way}
							onChange={() => onChange(each)}
							className="sr-only"
						/>
						{TEXTS.way[each]}
					</label>
				))}
			</div>
		</fieldset>
	);
}
