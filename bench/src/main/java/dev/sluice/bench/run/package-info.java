/** Arguments, turns, medians and tables. */
package dev.sluice.bench.run;
