import { useState } from "react";

export interface Followed<Value> {
	readonly value: Value;
	readonly change: (value: Value) => void;
	/** Says what was written to where `given` comes from: when it arrives, what was changed here meanwhile stays. */
	readonly noteWritten: (value: Value) => void;
}

/** State that changes at once here, and follows what is given, such as a part of the address, when that changes elsewhere. */
export function useFollowed<Value extends string | undefined>(given: Value): Followed<Value> {
	const [value, change] = useState(given);
	const [seen, setSeen] = useState(given);
	const [written, noteWritten] = useState(given);
	if (given !== seen) {
		setSeen(given);
		if (given !== written) change(given);
		noteWritten(given);
	}
	return { value, change, noteWritten };
}
