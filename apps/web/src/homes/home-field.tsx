import type { ReactNode } from "react";
import { homesTexts as TEXTS } from "../texts/homes-en.ts";
import { FormError } from "../ui/form-error.tsx";
import { Field } from "../ui/input.tsx";
import { Select } from "../ui/select.tsx";
import type { NewHome } from "./use-new-home.ts";

/** Asks where something new is to live, among the homes in which the user may write. */
export function HomeField({ home }: { home: NewHome }): ReactNode {
	const { homes, value, choose, isNowhere, error } = home;
	if (isNowhere) return <p role="alert">{TEXTS.nowhere}</p>;
	return (
		<>
			<Field label={TEXTS.livesIn} hint={TEXTS.explain}>
				<Select
					value={value}
					onChange={choose}
					choices={value === "" ? [{ value: "", label: TEXTS.choose }, ...homes] : homes}
				/>
			</Field>
			<FormError error={error} />
		</>
	);
}
