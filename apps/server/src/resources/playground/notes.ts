const MOST_POSITIONS = 10;

/** Collects sentences about what could not be taken over; those about messages name all of them at once. */
export class Notes {
	readonly #sentences = new Map<string, number[]>();

	add(sentence: string): void {
		if (!this.#sentences.has(sentence)) this.#sentences.set(sentence, []);
	}

	/** @param sentence has `{messages}` where they are named @param position from 0 */
	addOfMessage(sentence: string, position: number): void {
		const positions = this.#sentences.get(sentence) ?? [];
		this.#sentences.set(sentence, positions);
		if (positions.at(-1) !== position + 1) positions.push(position + 1);
	}

	toSentences(): string[] {
		return [...this.#sentences].map(([sentence, positions]) => {
			const named = sentence.replace("{messages}", () => namesOf(positions));
			return named.charAt(0).toUpperCase() + named.slice(1);
		});
	}
}

function namesOf(positions: readonly number[]): string {
	const [first] = positions;
	if (positions.length === 1) return `message ${first}`;
	const named = positions.slice(0, MOST_POSITIONS);
	const rest = positions.length - named.length;
	const last = rest > 0 ? `${rest} more` : String(named.pop());
	return `messages ${named.join(", ")} and ${last}`;
}
