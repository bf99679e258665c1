/** Of the normal distribution: the two-sided 5 % point, which Student's t approaches from above. */
const NORMAL_95 = 1.959963984540054;
const PROBABILITY = 0.95;
const MOST_STEPS = 20;

/**
 * The two-sided 5 % point of Student's t, for whole degrees of freedom from 1.
 *
 * The probability within ±t is a finite sum of powers of cos θ, where tan θ = t/√degrees (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4). It is concave in θ, so Newton's steps from the normal distribution's point come closer from below.
 */
export function studentT95(degrees: number): number {
	const density = densityFactor(degrees);
	let angle = Math.atan(NORMAL_95 / Math.sqrt(degrees));
	for (let step = 0; step < MOST_STEPS; step += 1) {
		const left = (PROBABILITY - probabilityWithin(angle, degrees)) / (density * Math.cos(angle) ** (degrees - 1));
		angle += left;
		if (Math.abs(left) <= 1e-13 * angle) break;
	}
	return Math.sqrt(degrees) * Math.tan(angle);
}

function probabilityWithin(angle: number, degrees: number): number {
	const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
	const isOdd = degrees % 2 === 1;
	let term = isOdd ? cosine : 1;
	let sum = degrees === 1 ? 0 : term;
	for (let power = isOdd ? 3 : 2; power <= degrees - 2; power += 2) {
		term *= (cosine ** 2 * (power - 1)) / power;
		sum += term;
	}
	return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}

/** The derivative of {@link probabilityWithin} is this times cos θ to the power of degrees - 1. */
function densityFactor(degrees: number): number {
	let factor = degrees % 2 === 1 ? 2 / Math.PI : 1;
	for (let below = degrees; below > 2; below -= 2) factor *= (below - 1) / (below - 2);
	return factor;
}
