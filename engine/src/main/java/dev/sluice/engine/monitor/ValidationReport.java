package dev.sluice.engine.monitor;

import dev.sluice.engine.context.StatusNumbers;
import dev.sluice.engine.status.ValidationStatus;
import dev.sluice.engine.validate.continuous.ValidationProgress;
import dev.sluice.engine.validate.continuous.ValidationProgress.OfTable;
import dev.sluice.engine.validate.continuous.ValidationProgress.Read;
import java.util.Optional;

/** The part of a status page about the validation. Stateless. */
final class ValidationReport {
  private ValidationReport() {}

  static ValidationStatus of(ValidationProgress progress) {
    return new ValidationStatus(
        progress.waiting().isEmpty() ? null : progress.waiting(),
        progress.sessions(),
        progress.rows(),
        progress.keys(),
        progress.lastTook().map(StatusNumbers::seconds).orElse(null),
        progress.tables().stream().filter(OfTable::isProven).count(),
        progress.tables().stream().map(ValidationReport::table).toList(),
        progress.start().isEmpty() ? null : progress.start());
  }

  private static ValidationStatus.Table table(OfTable table) {
    return new ValidationStatus.Table(
        table.table().schema(),
        table.table().name(),
        table.state(),
        table.isProven(),
        pass(table.read()),
        pass(table.reading()),
        table.followed(),
        table.touched(),
        table.failed(),
        table.rejected(),
        table.pending(),
        table.suspended(),
        table.notCompared(),
        table.problem().orElse(null));
  }

  private static ValidationStatus.Pass pass(Optional<Read> read) {
    return read.map(
            pass -> new ValidationStatus.Pass(pass.at(), pass.position().toString(), pass.rows()))
        .orElse(null);
  }
}
