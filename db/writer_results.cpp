// Writer: results of a session, and findings added to them later.
#include "db/check_rows.h"
#include "db/cubin_digest.h"
#include "db/session_rows.h"
#include "db/writer_impl.h"
#include "system/utc_time.h"

namespace warptune {

Result<void> Writer::disqualify(RowId session, const std::string& config_text, TrialStatus status,
                                const std::string& evidence) {
  return impl_->write([&]() -> Result<void> {
    WT_TRY(std::string kernel, impl_->kernel_of(session));
    impl_->set_status("session_id = ?4 AND config_id = ?5", status, evidence, session,
                      impl_->config(kernel, config_text));
    return {};
  });
}

Result<void> Writer::put_cubin(const CubinRecord& cubin) {
  return impl_->write([&]() -> Result<void> {
    const std::string names = db::cubin_names(cubin);
    // Replace a record that was damaged in the meantime: its digest no longer matches.
    impl_->query("DELETE FROM cubins WHERE hash = ? AND digest <> wt_digest(hash || char(10) || arch || char(10) || "
                 "lowered_names || wt_digest(image))",
                 cubin.hash);
    SQLite::Statement row(*impl_->db, "INSERT INTO cubins (hash, arch, lowered_names, image, created_at, digest) "
                                      "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING");
    row.bind(1, cubin.hash);
    row.bind(2, cubin.arch);
    row.bind(3, names);
    db::bind_bytes(row, 4, cubin.image);
    row.bind(5, utc_now());
    row.bind(6, db::cubin_digest(cubin.hash, cubin.arch, names, cubin.image));
    row.exec();
    return {};
  });
}

Result<void> Writer::put_best(const BestRecord& best) {
  return impl_->write([&]() -> Result<void> {
    WT_TRY(std::string kernel, impl_->kernel_of(best.session));
    // Also deletes its ties.
    impl_->query("DELETE FROM best WHERE session_id = ?", best.session);
    db::insert_best(impl_->statements, 0, best.session, impl_->config(kernel, best.config),
                    best.default_config.empty() ? 0 : impl_->config(kernel, best.default_config), best);
    const RowId id = impl_->db->getLastInsertRowid();
    std::int64_t position = 0;
    for (const std::string& tied : best.tie_set)
      impl_->query("INSERT INTO best_ties VALUES (?, ?, ?)", id, position++, impl_->config(kernel, tied));
    position = 0;
    for (const ParetoPoint& point : best.pareto)
      impl_->query("INSERT INTO best_pareto VALUES (?, ?, ?, ?, ?)", id, position++,
                   impl_->config(kernel, point.config), point.median_us, point.energy_mj);
    position = 0;
    for (const FinalTime& finalist : best.finalists)
      impl_->query("INSERT INTO best_finalists VALUES (?, ?, ?, ?)", id, position++,
                   impl_->config(kernel, finalist.config), finalist.median_us);
    position = 0;
    for (const FinalRound& round : best.rounds) db::insert_round(impl_->statements, id, position++, round);
    return {};
  });
}

Result<void> Writer::put_check(const CheckRecord& check) {
  return impl_->write([&]() -> Result<void> {
    if (impl_->query("SELECT 1 FROM best WHERE id = ?", check.best) == 0)
      return fail(
          ErrorKind::database,
          fmt::format(
              "the database {} no longer has the result {}: its session was resumed meanwhile; run `recheck` again",
              impl_->path.string(), check.best));
    const bool ran = !check.driver.empty() || !check.compiler.empty();
    db::insert_check(*impl_->db, check, ran ? impl_->toolchain(check.driver, check.compiler) : 0);
    if (check.status == CheckStatus::wrong)
      impl_->set_status("(session_id, config_id) = (SELECT session_id, config_id FROM best WHERE id = ?4)",
                        TrialStatus::wrong_result, check.evidence, check.best);
    return {};
  });
}

} // namespace warptune
