import type { ReactNode } from "react";
import { SegmentedControl } from "../../ui/segmented-control.tsx";

interface OwnOrAllProps {
	readonly showsAll: boolean;
	/** Changes the address. */
	readonly onChange: (search: { readonly show?: "all" }) => void;
	readonly texts: { readonly show: string; readonly own: string; readonly all: string };
}

/** For admins: what is their own, or everybody's. */
export function OwnOrAll({ showsAll, onChange, texts }: OwnOrAllProps): ReactNode {
	return (
		<div>
			<SegmentedControl
				label={texts.show}
				value={showsAll ? "all" : "own"}
				onChange={(chosen) => onChange(chosen === "all" ? { show: "all" } : {})}
				choices={[
					{ value: "own", label: texts.own },
					{ value: "all", label: texts.all },
				]}
			/>
		</div>
	);
}
